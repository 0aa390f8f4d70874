package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Columns of an I/O's times: when it passed each boundary, and how long it spent in each part of the array.
const (
	guest = iota
	vscsi
	atDevice
	issued
	atArray
	leftArray
	acknowledged
	deviceDone
	done
	port
	qos
	queue
	service
	columns
)

// Kinds of streams.
const (
	closed = iota
	random
	regular
)

// Kinds of events. A thread wakes because its I/O is due, or to look again.
const (
	wake = iota
	lookAgain
	cameToDevice
	cameToArray
	cameToQos
	cameToController
	served
	cameToHost
	isAcknowledged
	isDone
	isBack
)

const (
	nowhere = -1
	// Two worlds compete while each has done an I/O within so long.
	competes = 1.0
	// Bytes per second that a controller takes a payload in and out with.
	inside = 2.5e9
	spread = 0.35
	// One way between the array and an initiator that no vCenter knows.
	outside = 40e-6
)

type io struct {
	times   [columns]float64
	size    float64
	thread  int32
	device  int32
	volume  int32
	isWrite bool
}

type event struct {
	at   float64
	who  int32
	kind int32
}

type thread struct {
	stream int
	rank   int
}

// fifo is a queue of I/Os.
type fifo struct {
	ios  []int32
	head int
}

func (q *fifo) put(one int32) { q.ios = append(q.ios, one) }
func (q *fifo) empty() bool   { return q.head == len(q.ios) }
func (q *fifo) take() int32 {
	one := q.ios[q.head]
	q.head++
	if q.head == len(q.ios) {
		q.ios, q.head = q.ios[:0], 0
	}
	return one
}

type run struct {
	*Machine
	dice    *rand.Rand
	heap    []event
	ios     []io
	threads []thread

	diskQueue, deviceQueue, arrayQueue []fifo
	inDisk, inDevice, inArray          []int
	limitFree, linkOutFree, linkInFree []float64
	portInFree, portOutFree, qosFree   []float64
	// By array: whether somebody waits for its controllers to come back.
	stalled []bool
	// By device: when each VM did its last I/O on it.
	seen [][]float64
}

func newRun(m *Machine) *run {
	r := &run{Machine: m, dice: rand.New(rand.NewPCG(m.Seed, 0x9e3779b97f4a7c15))}
	r.diskQueue, r.deviceQueue, r.arrayQueue = make([]fifo, len(m.Disks)), make([]fifo, len(m.Devices)), make([]fifo, len(m.Arrays))
	r.inDisk, r.inDevice, r.inArray = make([]int, len(m.Disks)), make([]int, len(m.Devices)), make([]int, len(m.Arrays))
	free := func(count int) []float64 {
		never := make([]float64, count)
		for n := range never {
			never[n] = math.Inf(-1)
		}
		return never
	}
	r.limitFree, r.linkOutFree, r.linkInFree = free(len(m.Disks)), free(len(m.Hosts)), free(len(m.Hosts))
	r.portInFree, r.portOutFree, r.qosFree = free(len(m.Arrays)), free(len(m.Arrays)), free(len(m.Volumes))
	r.stalled = make([]bool, len(m.Arrays))
	vms := 0
	for _, disk := range m.Disks {
		vms = max(vms, disk.VM+1)
	}
	for range m.Devices {
		r.seen = append(r.seen, free(vms))
	}
	for number := range m.Streams {
		for rank := range r.most(&m.Streams[number]) {
			r.threads = append(r.threads, thread{number, rank})
		}
	}
	return r
}

// most is how many threads a stream ever has; an open one has one, which draws its arrivals.
func (r *run) most(s *Stream) int {
	if s.Kind != closed {
		return 1
	}
	most := 0.0
	for _, level := range s.Level.Value {
		most = math.Max(most, level)
	}
	return int(math.Round(most))
}

func (r *run) all() error {
	for number := range r.threads {
		r.push(r.Start+r.dice.Float64(), number, lookAgain)
	}
	for len(r.heap) > 0 && r.heap[0].at <= r.Until {
		if len(r.ios) >= r.Most {
			return fmt.Errorf("more than %d I/Os by second %.0f", r.Most, r.heap[0].at)
		}
		next := r.pop()
		r.happen(next.at, int(next.who), next.kind)
	}
	return nil
}

func (r *run) happen(at float64, who int, kind int32) {
	switch kind {
	case wake, lookAgain:
		r.wake(at, who, kind == wake)
	case cameToDevice:
		r.toDevice(at, who)
	case cameToArray:
		r.toArray(at, who)
	case cameToQos:
		r.toQos(at, who)
	case cameToController:
		r.toController(at, who)
	case served:
		r.leaveController(at, who)
	case cameToHost:
		r.toHost(at, who)
	case isAcknowledged:
		r.acknowledge(at, who)
	case isDone:
		r.finish(at, who)
	case isBack:
		r.stalled[who] = false
		r.drain(at, who)
	}
}

func (r *run) push(at float64, who int, kind int32) {
	r.heap = append(r.heap, event{})
	place := len(r.heap) - 1
	for place > 0 {
		above := (place - 1) / 2
		if r.heap[above].at <= at {
			break
		}
		r.heap[place] = r.heap[above]
		place = above
	}
	r.heap[place] = event{at, int32(who), kind}
}

func (r *run) pop() event {
	first, size := r.heap[0], len(r.heap)-1
	last := r.heap[size]
	r.heap = r.heap[:size]
	place := 0
	for {
		below := 2*place + 1
		if below >= size {
			break
		}
		if below+1 < size && r.heap[below+1].at < r.heap[below].at {
			below++
		}
		if r.heap[below].at >= last.at {
			break
		}
		r.heap[place] = r.heap[below]
		place = below
	}
	if size > 0 {
		r.heap[place] = last
	}
	return first
}

// about is a time that varies around its mean.
func (r *run) about(mean float64) float64 { return mean * (0.5 + 0.5*r.dice.ExpFloat64()) }
