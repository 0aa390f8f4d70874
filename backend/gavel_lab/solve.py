"""Solves the closed loops of one span of time: how many I/Os each flow completes and where their time goes.

Per load, X = min(N / (Z + T), P / T, limit): N threads that think Z and wait T in the hypervisor, of which at most P are let
through by the virtual disk. T holds the kernel queue, which is what keeps the I/Os in flight on a device at its depth D,
the array's QoS wait, which keeps a volume at its limit, and the wait for the link of a target port, which keeps its bytes at what
it carries. Frames of all I/Os take turns on a link, so each I/O waits in proportion to its size, within the transfer that the array
times (SAN time). All are found together by iteration; what the iteration leaves over is then put where it belongs, so that the
laws hold exactly:

    N = X (Z + time)        Little's law per load
    in flight <= D          per device and step of time
    bytes     <= payload    per link of a target port, one way, and step of time
"""

from dataclasses import dataclass, replace

import numpy as np

from gavel_lab.environment import Environment
from gavel_lab.flows import FlowTable, Grouping
from gavel_lab.inputs import Demand, Inputs, limit_buckets
from gavel_lab.reading import SEGMENTS, Floats
from gavel_lab.routes import Routes

OPS_READ, OPS_WRITE, BYTES_READ, BYTES_WRITE, READ_TIMES = 0, 1, 2, 3, 4
WRITE_TIMES = READ_TIMES + len(SEGMENTS)
CHANNELS = WRITE_TIMES + len(SEGMENTS)

_ROUNDS = 160
_CALM_ROUND = 30  # from here on the steps get smaller and smaller
_SETTLED = 1e-9
_SHORTEST_US = 1.0
_KNEE_OPS = 49_200.0  # ops/s at which a volume's service time has doubled
_QUEUE_US, _QUEUE_BEND_US = 1.5, 600.0
_WRITE_FACTOR = 1.15
_PORT_READ_US, _PORT_WRITE_US = 15.0, 40.0


@dataclass(kw_only=True)
class _Waits:
    """The unknowns: kernel queue per group, QoS wait and ops per target, wait for its link per byte sent and received of each
    port; all (rows, t)."""

    kernel_us: Floats
    qos_us: Floats
    ops: Floats
    sent_us_per_byte: Floats
    received_us_per_byte: Floats

    def between(self, last: "_Waits", part: float) -> "_Waits":
        """Only so much of the way from `last` to here: what swings between two states settles in the middle."""
        if part == 1.0:
            return self
        return _Waits(**{name: old + part * (vars(self)[name] - old) for name, old in vars(last).items()})


@dataclass(kw_only=True)
class _Driver:
    """Times below the kernel, per flow: (f, t)."""

    fabric: Floats
    port_read: Floats
    port_write: Floats
    service_read: Floats
    service_write: Floats
    queue: Floats
    qos: Floats

    def mean(self, read_share: Floats) -> Floats:
        """Op-weighted over reads and writes."""
        read, write = self.port_read + self.service_read, self.port_write + self.service_write
        return self.fabric + self.queue + self.qos + read_share * read + (1 - read_share) * write


@dataclass(frozen=True, kw_only=True)
class Solved:
    """rates (f, CHANNELS, t) per second: ops, bytes, then I/O-time in µs per segment for reads and for writes; and what a byte takes at
    each port, µs (ports, t): read, which the port sends, and written, which it receives."""

    rates: Floats
    read_us_per_byte: Floats
    write_us_per_byte: Floats


class Solver:
    """Solves spans of one environment. Stateless but for what is constant."""

    def __init__(self, environment: Environment, demand: Demand) -> None:
        self._demand = demand
        self._routes = Routes(environment)
        self._bucket = limit_buckets(environment)
        self._buckets = Grouping(self._bucket, len(self._bucket))
        pods = [environment.pods[volume.pod] if volume.pod is not None else None for volume in environment.volumes]
        stretched = [pod if pod and len(pod.arrays) > 1 else None for pod in pods] + [None] * len(
            environment.directories
        )
        self._mirror_us = np.array([pod.inter_array_round_trip_us if pod else 0.0 for pod in stretched])[:, None]
        self._remote_us = np.array([pod.remote_round_trip_us if pod else 0.0 for pod in stretched])[:, None]

    def depths(self, table: FlowTable, inputs: Inputs, share: Floats) -> Floats:
        """(groups, t) effective depth: shared_depth where two or more VMs do I/O, else max_depth."""
        _, flows_into_pairs, pairs_into_groups = table.worlds
        active = (inputs.threads[table.column["load"]] > 0) & (share > 0)
        worlds = pairs_into_groups.sum((flows_into_pairs.sum(active.astype(np.float64)) > 0).astype(np.float64))
        shared = np.minimum(inputs.max_depth, inputs.shared_depth)
        return np.where(worlds > 1, shared, inputs.max_depth)

    def share(self, table: FlowTable, inputs: Inputs, present: Floats) -> Floats:
        """(f, t) part of its load's I/O that each flow carries; the flows of a load add up to 1."""
        remote = inputs.remote_share[table.column["group"]]
        is_remote, is_stretched = table.column["remote"][:, None], table.column["stretched"][:, None]
        leg = np.where(is_stretched == 1, np.where(is_remote == 1, remote, 1 - remote), 1.0)
        return table.extent_share[:, None] * leg * present

    def solve(self, table: FlowTable, inputs: Inputs, share: Floats, depth: Floats) -> Solved:
        waits, driver, ops = self._settle(table, inputs, share, depth)
        ops = self._within_depth(table, share, depth, driver, self._within_links(table, share, ops))
        alone = self._routes.alone_us_per_byte
        return Solved(
            rates=self._channels(table, inputs, share, waits, driver, ops),
            read_us_per_byte=alone + waits.sent_us_per_byte,
            write_us_per_byte=alone + waits.received_us_per_byte,
        )

    def _settle(self, table: FlowTable, inputs: Inputs, share: Floats, depth: Floats) -> tuple[_Waits, _Driver, Floats]:
        waits = _Waits(
            kernel_us=np.zeros_like(inputs.max_depth),
            qos_us=np.zeros_like(inputs.qos_limit),
            ops=np.zeros_like(inputs.qos_limit),
            sent_us_per_byte=self._no_wait(inputs),
            received_us_per_byte=self._no_wait(inputs),
        )
        driver, mean, time = self._times(table, inputs, share, waits)
        ops = _throughput(inputs, time)
        for number in range(_ROUNDS):
            before, last = ops, replace(waits)
            self._adjust(table, inputs, share, depth, waits, mean, time, ops)
            waits = waits.between(last, min(1.0, _CALM_ROUND / (number + 1)))
            driver, mean, time = self._times(table, inputs, share, waits)
            ops = _throughput(inputs, time)
            if np.all(np.abs(ops - before) <= _SETTLED * (ops + 1)):
                break
        return waits, driver, ops

    def _no_wait(self, inputs: Inputs) -> Floats:
        return np.zeros((len(self._routes.alone_us_per_byte), inputs.threads.shape[1]))

    def _times(self, table: FlowTable, inputs: Inputs, share: Floats, waits: _Waits) -> tuple[_Driver, Floats, Floats]:
        """(times below the kernel, their mean per flow, time in the hypervisor and below it per load)."""
        driver = self._driver(table, inputs, waits)
        mean = driver.mean(self._demand.read_share[table.column["load"]])
        return driver, mean, inputs.hypervisor_us + self._kernel_and_below(table, inputs, share, waits, mean)

    def _driver(self, table: FlowTable, inputs: Inputs, waits: _Waits) -> _Driver:
        column = table.column
        target, load = column["target"], column["load"]
        remote, mirrored = column["remote"][:, None], column["stretched"][:, None]
        far_us = remote * self._remote_us[target]
        fabric = inputs.fabric_us[column["group"]]
        service = (inputs.service_us * (1 + waits.ops / _KNEE_OPS))[target]
        alone = self._routes.alone_us_per_byte
        sent, received = (
            self._routes.mean(alone + wait)[table.route]
            for wait in (waits.sent_us_per_byte, waits.received_us_per_byte)
        )
        queue = (_QUEUE_US + _QUEUE_BEND_US * (waits.ops / inputs.capacity) ** 4)[target]
        return _Driver(
            fabric=np.where(remote == 1, far_us, fabric),
            port_read=_PORT_READ_US + self._demand.read_bytes[load] * sent,
            port_write=np.where(remote == 1, far_us, _PORT_WRITE_US) + self._demand.write_bytes[load] * received,
            service_read=service,
            service_write=_WRITE_FACTOR * service + mirrored * self._mirror_us[target],
            queue=queue,
            qos=waits.qos_us[target],
        )

    def _kernel_and_below(self, table: FlowTable, inputs: Inputs, share: Floats, waits: _Waits, mean: Floats) -> Floats:
        """(loads, t) time below the hypervisor segment."""
        group = table.column["group"]
        return table.by_load.sum(share * (mean + inputs.kernel_us[group] + waits.kernel_us[group]))

    def _adjust(
        self,
        table: FlowTable,
        inputs: Inputs,
        share: Floats,
        depth: Floats,
        waits: _Waits,
        mean: Floats,
        time: Floats,
        ops: Floats,
    ) -> None:
        """One step of all unknowns towards: in flight = depth, volume ops = QoS limit, bytes of a port = what its link carries, service
        time = that of its ops."""
        load, group = table.column["load"], table.column["group"]
        loop = _loop_us(inputs, time)[load]
        flow_ops = ops[load] * share
        in_flight = flow_ops * mean / 1e6
        queued = waits.kernel_us > 0
        waits.kernel_us = _step(
            waits.kernel_us, table.by_group.sum(in_flight), table.by_group.sum(in_flight / loop), depth
        )
        volume_ops = table.by_target.sum(flow_ops)
        loop = np.where(queued[group], mean, loop)
        counted = self._buckets.sum(volume_ops)[self._bucket]
        slope = self._buckets.sum(table.by_target.sum(flow_ops / loop))[self._bucket]
        waits.qos_us = _step(waits.qos_us, counted, slope, inputs.qos_limit)
        waits.sent_us_per_byte = self._at_ports(
            table, waits.sent_us_per_byte, flow_ops, self._demand.bytes_read[load], loop
        )
        waits.received_us_per_byte = self._at_ports(
            table, waits.received_us_per_byte, flow_ops, self._demand.bytes_written[load], loop
        )
        waits.ops = self._damped(inputs, waits, volume_ops, table.by_target.sum(flow_ops / mean))

    def _at_ports(self, table: FlowTable, wait: Floats, flow_ops: Floats, size: Floats, loop: Floats) -> Floats:
        """One step of the waits for the links, one way. size (f, 1): bytes of an I/O that go this way, on average."""
        share = self._routes.share
        carried = table.by_route.sum(flow_ops * size)
        slope = table.by_route.sum(flow_ops * size * size / loop)
        return _step(wait, share @ carried, (share * share) @ slope, self._routes.payload_bytes_per_s)

    def _damped(self, inputs: Inputs, waits: _Waits, ops: Floats, ops_per_us: Floats) -> Floats:
        """Ops to compute service times from: Newton on the logarithm, so that steep queues do not make it swing."""
        bend = 4 * _QUEUE_BEND_US * (waits.ops / inputs.capacity) ** 4
        rise = inputs.service_us * waits.ops / _KNEE_OPS + bend
        elasticity = rise * np.divide(ops_per_us, ops, out=np.zeros_like(ops), where=ops > 0)
        ratio = np.divide(ops, waits.ops, out=np.ones_like(ops), where=waits.ops > 0)
        return np.where(waits.ops > 0, waits.ops * ratio ** (1 / (1 + elasticity)), ops)

    def _within_links(self, table: FlowTable, share: Floats, ops: Floats) -> Floats:
        """Ops cut by what the iteration left above the payload that links carry."""
        load = table.column["load"]
        for size in (self._demand.bytes_read, self._demand.bytes_written):
            carried = self._routes.share @ table.by_route.sum(ops[load] * share * size[load])
            allowed = self._routes.smallest(self._routes.payload_bytes_per_s / np.maximum(carried, 1.0))[table.route]
            ops = ops * table.by_load.smallest(np.where(share > 0, np.minimum(allowed, 1.0), 1.0), 1.0)
        return ops

    def _within_depth(self, table: FlowTable, share: Floats, depth: Floats, driver: _Driver, ops: Floats) -> Floats:
        """Ops cut by the last billionth that keeps every device within its depth."""
        load, group = table.column["load"], table.column["group"]
        in_flight = table.by_group.sum(ops[load] * share * driver.mean(self._demand.read_share[load])) / 1e6
        allowed = np.minimum(1.0, np.divide(depth, in_flight, out=np.ones_like(depth), where=in_flight > 0))
        return ops * table.by_load.smallest(np.where(share > 0, allowed[group], 1.0), 1.0)

    def _channels(
        self, table: FlowTable, inputs: Inputs, share: Floats, waits: _Waits, driver: _Driver, ops: Floats
    ) -> Floats:
        load, group = table.column["load"], table.column["group"]
        below = self._kernel_and_below(table, inputs, share, waits, driver.mean(self._demand.read_share[load]))
        guest, hypervisor, rest = _above_the_kernel(inputs, below, ops)
        kernel_queue = waits.kernel_us[group] + rest[load]
        kernel_service = inputs.kernel_us[group]
        outer = (guest[load], hypervisor[load], kernel_queue, kernel_service, driver.fabric)
        read = (*outer, driver.port_read, driver.qos, driver.queue, driver.service_read)
        write = (*outer, driver.port_write, driver.qos, driver.queue, driver.service_write)
        reads = ops[load] * share * self._demand.read_share[load]
        writes = ops[load] * share * (1 - self._demand.read_share[load])
        bytes_moved = (reads * self._demand.read_bytes[load], writes * self._demand.write_bytes[load])
        result = (reads, writes, *bytes_moved, *(reads * us for us in read), *(writes * us for us in write))
        return np.stack(result, axis=1)


def _by_queue(inputs: Inputs, time_us: Floats) -> Floats:
    """(loads, t) I/Os per µs that the virtual disk's queue lets through. The disk of a VM that is off takes no time."""
    return inputs.disk_depth / np.maximum(time_us, _SHORTEST_US)


def _throughput(inputs: Inputs, time_us: Floats) -> Floats:
    """(loads, t) ops/s of each loop: bound by its threads, by the virtual disk's queue or by its IOPS limit."""
    by_threads = inputs.threads / (inputs.think_us + time_us)
    return np.minimum(np.minimum(by_threads, _by_queue(inputs, time_us)) * 1e6, inputs.iops_limit)


def _loop_us(inputs: Inputs, time_us: Floats) -> Floats:
    """(loads, t) what ops are inversely proportional to when T grows: Z + T, or T alone at the disk's queue limit.

    At an IOPS limit ops do not fall at first; the steps then come out too small, never too large.
    """
    at_queue_limit = _by_queue(inputs, time_us) < inputs.threads / (inputs.think_us + time_us)
    return np.where(at_queue_limit, time_us, inputs.think_us + time_us)


def _step(wait_us: Floats, amount: Floats, slope: Floats, limit: Floats) -> Floats:
    """The wait that brings `amount`, taken as c / (b + wait) with the given -slope, down to `limit`; never below 0."""
    base = np.divide(amount, slope, out=np.zeros_like(amount), where=slope > 0)
    return np.maximum(0.0, wait_us + base * (amount / limit - 1))


def _above_the_kernel(inputs: Inputs, below_us: Floats, ops: Floats) -> tuple[Floats, Floats, Floats]:
    """(guest queue, hypervisor wait, what the iteration left over) per load, from Little's law; 0 without ops."""
    idle = ops <= 0
    per_op = np.divide(1e6, ops, out=np.zeros_like(ops), where=~idle)
    total = np.where(idle, 0.0, inputs.threads * per_op - inputs.think_us)
    in_disk = np.minimum(total, inputs.disk_depth * per_op)
    waiting = np.where(idle, 0.0, np.maximum(0.0, in_disk - below_us))
    limited = ops >= inputs.iops_limit * (1 - 1e-6)
    hypervisor = np.where(limited, waiting, np.minimum(waiting, inputs.hypervisor_us))
    return total - in_disk, hypervisor, waiting - hypervisor
