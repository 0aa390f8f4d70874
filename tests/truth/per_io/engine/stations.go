package main

import "math"

// --- the guest and its virtual disk ---------------------------------------------------------------------------------

// A thread of a closed loop does its next I/O; an open stream gets one if it is due, and draws when the next is.
func (r *run) wake(at float64, number int, isDue bool) {
	one := r.threads[number]
	stream := &r.Streams[one.stream]
	level := stream.Level.at(at)
	changes := stream.Level.changes()
	if stream.Kind == closed {
		if float64(one.rank) < level {
			r.begin(at, number, stream)
		} else if !math.IsInf(changes, 1) {
			r.push(changes+0.01*r.dice.Float64(), number, lookAgain)
		}
		return
	}
	if isDue {
		r.begin(at, number, stream)
	}
	due := math.Inf(1)
	if level > 0 && stream.Kind == regular {
		due = at + (0.9+0.2*r.dice.Float64())/level
	} else if level > 0 {
		due = at + r.dice.ExpFloat64()/level
	}
	if due < changes {
		r.push(due, number, wake)
	} else if !math.IsInf(changes, 1) {
		r.push(changes, number, lookAgain)
	}
}

func (r *run) begin(at float64, number int, stream *Stream) {
	extent, size := 0, 0
	if r.dice.Float64() >= stream.FirstShare {
		extent = 1
	}
	if r.dice.Float64() < stream.LargeShare {
		size = 1
	}
	r.ios = append(r.ios, io{
		size:    stream.Sizes[size],
		thread:  int32(number),
		device:  int32(stream.Devices[extent]),
		volume:  int32(stream.Volumes[extent]),
		isWrite: r.dice.Float64() >= stream.ReadShare,
	})
	who := len(r.ios) - 1
	times := &r.ios[who].times
	for column := range times {
		times[column] = math.NaN()
	}
	times[guest] = at
	switch {
	case stream.Disk != nowhere && r.inDisk[stream.Disk] < r.Disks[stream.Disk].Queue:
		r.enter(at, who, stream.Disk)
	case stream.Disk != nowhere:
		r.diskQueue[stream.Disk].put(int32(who))
	case stream.Devices[0] != nowhere:
		times[vscsi] = at
		r.toDevice(at, who)
	default:
		times[vscsi], times[atDevice], times[issued] = at, at, at
		r.push(at+outside, who, cameToArray)
	}
}

// Into the virtual disk, and on when the hypervisor and its limit let it.
func (r *run) enter(at float64, who, number int) {
	disk := &r.Disks[number]
	r.inDisk[number]++
	r.ios[who].times[vscsi] = at
	through := at + r.about(disk.Time.at(at))
	if limit := disk.Limit.at(at); limit > 0 {
		through = math.Max(through, r.limitFree[number])
		r.limitFree[number] = through + 1/limit
	}
	r.push(through, who, cameToDevice)
}

func (r *run) finish(at float64, who int) {
	one := &r.ios[who]
	one.times[done] = at
	stream := &r.Streams[r.threads[one.thread].stream]
	if disk := stream.Disk; disk != nowhere {
		r.inDisk[disk]--
		if !r.diskQueue[disk].empty() {
			r.enter(at, int(r.diskQueue[disk].take()), disk)
		}
	}
	if stream.Kind == closed {
		r.push(at+stream.Think*r.dice.ExpFloat64(), int(one.thread), lookAgain)
	}
}

// --- the kernel and its devices -------------------------------------------------------------------------------------

func (r *run) toDevice(at float64, who int) {
	one := &r.ios[who]
	number := int(one.device)
	one.times[atDevice] = at
	if disk := r.Streams[r.threads[one.thread].stream].Disk; disk != nowhere {
		r.seen[number][r.Disks[disk].VM] = at
	}
	if r.deviceQueue[number].empty() && float64(r.inDevice[number]) < r.depth(at, number) {
		r.issue(at, who)
	} else {
		r.deviceQueue[number].put(int32(who))
	}
}

func (r *run) depth(at float64, number int) float64 {
	device := &r.Devices[number]
	depth, worlds := device.Depth.at(at), 0
	for _, last := range r.seen[number] {
		if last > at-competes {
			worlds++
		}
	}
	if worlds > 1 {
		depth = math.Min(depth, device.SharedDepth.at(at))
	}
	return depth
}

func (r *run) issue(at float64, who int) {
	one := &r.ios[who]
	host := r.Devices[one.device].Host
	r.inDevice[one.device]++
	one.times[issued] = at
	leaves := at
	if one.isWrite {
		leaves = math.Max(at, r.linkOutFree[host]) + one.size/r.Hosts[host].Link.at(at)
		r.linkOutFree[host] = leaves
	}
	r.push(leaves+r.flight(at, host), who, cameToArray)
}

func (r *run) flight(at float64, number int) float64 {
	host := &r.Hosts[number]
	return host.Flight.at(at) + host.Jitter.at(at)*r.dice.ExpFloat64()
}

// A read's payload comes in over the host's link.
func (r *run) toHost(at float64, who int) {
	one := &r.ios[who]
	host := r.Devices[one.device].Host
	came := math.Max(at, r.linkInFree[host]) + one.size/r.Hosts[host].Link.at(at)
	r.linkInFree[host] = came
	r.push(came, who, isAcknowledged)
}

func (r *run) acknowledge(at float64, who int) {
	one := &r.ios[who]
	one.times[acknowledged] = at
	number := int(one.device)
	if number == nowhere {
		one.times[deviceDone] = at
		r.finish(at, who)
		return
	}
	r.inDevice[number]--
	waiting := &r.deviceQueue[number]
	for !waiting.empty() && float64(r.inDevice[number]) < r.depth(at, number) {
		r.issue(at, int(waiting.take()))
	}
	took := r.about(r.Devices[number].Kernel.at(at))
	one.times[deviceDone] = at + took
	r.push(at+took, who, isDone)
}

// --- the array ------------------------------------------------------------------------------------------------------

func (r *run) toArray(at float64, who int) {
	one := &r.ios[who]
	one.times[atArray], one.times[port], one.times[queue] = at, 0, 0
	number := r.Volumes[one.volume].Array
	came := at
	if one.isWrite {
		came = math.Max(at, r.portInFree[number]) + one.size/r.Arrays[number].Port.at(at)
		r.portInFree[number] = came
		one.times[port] = came - at
	}
	r.push(came, who, cameToQos)
}

func (r *run) toQos(at float64, who int) {
	one := &r.ios[who]
	limit := r.Volumes[one.volume].Qos.at(at)
	one.times[qos] = 0
	if limit <= 0 {
		r.toController(at, who)
		return
	}
	through := math.Max(at, r.qosFree[one.volume])
	r.qosFree[one.volume] = through + 1/limit
	one.times[qos] = through - at
	r.push(through, who, cameToController)
}

func (r *run) toController(at float64, who int) {
	one := &r.ios[who]
	number := r.Volumes[one.volume].Array
	if r.arrayQueue[number].empty() && float64(r.inArray[number]) < r.Arrays[number].Servers.at(at) {
		r.serve(at, who)
	} else {
		one.times[queue] = -at
		r.arrayQueue[number].put(int32(who))
		r.drain(at, number)
	}
}

// Serve who waits, as far as there are controllers free; while there are none at all, when there will be again.
func (r *run) drain(at float64, number int) {
	waiting, servers := &r.arrayQueue[number], &r.Arrays[number].Servers
	for !waiting.empty() && float64(r.inArray[number]) < servers.at(at) {
		next := int(waiting.take())
		r.ios[next].times[queue] += at
		r.serve(at, next)
	}
	if !waiting.empty() && r.inArray[number] == 0 && !r.stalled[number] {
		r.stalled[number] = true
		r.push(servers.changes(), number, isBack)
	}
}

func (r *run) serve(at float64, who int) {
	one := &r.ios[who]
	volume := &r.Volumes[one.volume]
	r.inArray[volume.Array]++
	mean := volume.Read.at(at)
	if one.isWrite {
		mean = volume.Write.at(at)
	}
	takes := mean*math.Exp(spread*r.dice.NormFloat64()-spread*spread/2) + one.size/inside
	one.times[service] = takes
	r.push(at+takes, who, served)
}

func (r *run) leaveController(at float64, who int) {
	one := &r.ios[who]
	number := r.Volumes[one.volume].Array
	r.inArray[number]--
	r.drain(at, number)
	left := at
	if one.isWrite {
		mirrored := r.Volumes[one.volume].Mirror.at(at) * (0.9 + 0.1*r.dice.ExpFloat64())
		one.times[service] += mirrored
		left += mirrored
	} else {
		left = math.Max(at, r.portOutFree[number]) + one.size/r.Arrays[number].Port.at(at)
		r.portOutFree[number] = left
		one.times[port] = left - at
	}
	one.times[leftArray] = left
	if one.device == nowhere {
		r.push(left+outside, who, isAcknowledged)
		return
	}
	next := int32(cameToHost)
	if one.isWrite {
		next = isAcknowledged
	}
	r.push(left+r.flight(at, r.Devices[one.device].Host), who, next)
}
