// Every I/O of an environment as an object in time: reads the environment's numbers as JSON, writes when each I/O passed each boundary.
//
// Nothing here knows a formula for a mean. In: see Machine. Out: the number of I/Os (int64), then column by column their times in
// seconds (float64, NaN where an I/O has not come to), then thread, device and volume (int32), size in bytes (float64), is-write (byte).
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
)

// Knob is a number that changes at given instants; the first is in force before its instant, too.
type Knob struct {
	At    []float64
	Value []float64
	now   int
}

// Stream does I/O: a closed loop keeps `Level` I/Os going, others arrive at `Level` per second.
type Stream struct {
	Kind       int
	Level      Knob
	Think      float64
	Disk       int
	Devices    [2]int
	Volumes    [2]int
	FirstShare float64
	ReadShare  float64
	Sizes      [2]float64
	LargeShare float64
}

// Disk is a virtual disk with its queue, the hypervisor's time and its limit of I/Os per second (0: none).
type Disk struct {
	VM    int
	Queue int
	Limit Knob
	Time  Knob
}

// Device is a host's view of a volume; SharedDepth is in force while two VMs compete on it.
type Device struct {
	Host        int
	Kernel      Knob
	Depth       Knob
	SharedDepth Knob
}

// Host has one link, in both directions.
type Host struct {
	Flight Knob
	Jitter Knob
	Link   Knob
}

// Volume is served by an array; Qos is its limit of I/Os per second (0: none).
type Volume struct {
	Array  int
	Qos    Knob
	Read   Knob
	Write  Knob
	Mirror Knob
}

// Array serves so many I/Os at once and has one port, in both directions.
type Array struct {
	Servers Knob
	Port    Knob
}

// Machine is everything, with times in seconds.
type Machine struct {
	Seed    uint64
	Start   float64
	Until   float64
	Most    int
	Streams []Stream
	Disks   []Disk
	Devices []Device
	Hosts   []Host
	Volumes []Volume
	Arrays  []Array
}

func main() {
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func work() error {
	var machine Machine
	if err := json.NewDecoder(os.Stdin).Decode(&machine); err != nil {
		return fmt.Errorf("the machine is unreadable: %w", err)
	}
	run := newRun(&machine)
	if err := run.all(); err != nil {
		return err
	}
	return run.write()
}

func (r *run) write() error {
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	put := func(column any) error { return binary.Write(out, binary.LittleEndian, column) }
	if err := put(int64(len(r.ios))); err != nil {
		return err
	}
	numbers, whole := make([]float64, len(r.ios)), make([]int32, len(r.ios))
	for column := range columns {
		for n := range r.ios {
			numbers[n] = r.ios[n].times[column]
		}
		if err := put(numbers); err != nil {
			return err
		}
	}
	for _, of := range []func(*io) int32{
		func(one *io) int32 { return one.thread },
		func(one *io) int32 { return one.device },
		func(one *io) int32 { return one.volume },
	} {
		for n := range r.ios {
			whole[n] = of(&r.ios[n])
		}
		if err := put(whole); err != nil {
			return err
		}
	}
	writes := make([]bool, len(r.ios))
	for n := range r.ios {
		numbers[n], writes[n] = r.ios[n].size, r.ios[n].isWrite
	}
	if err := put(numbers); err != nil {
		return err
	}
	if err := put(writes); err != nil {
		return err
	}
	return out.Flush()
}

// at is what is in force then. Instants only go forward.
func (k *Knob) at(then float64) float64 {
	for k.now+1 < len(k.At) && k.At[k.now+1] <= then {
		k.now++
	}
	return k.Value[k.now]
}

// changes is when another value will be in force.
func (k *Knob) changes() float64 {
	if k.now+1 < len(k.At) {
		return k.At[k.now+1]
	}
	return math.Inf(1)
}
