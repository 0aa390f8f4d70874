"""One workload in one device queue: how many I/Os per second the limits on its way let through, and where the others wait."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, get_args

import numpy as np

from gavel.analysis.queue_response import Response

US = 1e6
# Fields of `QueueTimes`.
TimePart = Literal["guest_queue", "hypervisor", "kernel_queue", "kernel_processing", "san", "array"]
PARTS: tuple[TimePart, ...] = get_args(TimePart)
# Halvings until a throughput is found to far below what any counter tells.
_HALVINGS = 60


class Ceiling(StrEnum):
    """What holds a workload's throughput."""

    THREADS = "threads"
    VIRTUAL_DISK_QUEUE = "virtual_disk_queue"
    DEVICE_QUEUE = "device_queue"
    IOPS_LIMIT = "iops_limit"
    DEMAND = "demand"


@dataclass(frozen=True, slots=True)
class QueueTimes:
    """Parts of one I/O's path, outermost first, in µs per I/O."""

    guest_queue: float = 0.0
    hypervisor: float = 0.0
    kernel_queue: float = 0.0
    kernel_processing: float = 0.0
    san: float = 0.0
    array: float = 0.0

    @property
    def total(self) -> float:
        return sum(self.values())

    @property
    def driver(self) -> float:
        return self.san + self.array

    def values(self) -> tuple[float, ...]:
        return tuple(getattr(self, name) for name in PARTS)


@dataclass(frozen=True, slots=True)
class Fixed:
    """What each I/O takes outside of the queues, µs: in the guest; between virtual disk and device; in the kernel beside the device queue;
    in the device queue, by bursts."""

    guest: float
    hypervisor: float
    processing: float
    bursts: float

    @property
    def service(self) -> float:
        """Between virtual disk and device queue."""
        return self.hypervisor + self.processing


@dataclass(frozen=True, slots=True)
class QueuePart:
    """One device queue and the part of a workload that is in it."""

    threads: float
    admits: float
    depth: float
    most_iops: float
    neighbors: float
    fixed: Fixed
    response: Response

    def wait(self, own: float) -> tuple[float, float]:
        """µs in queue and driver with `own` I/Os of the workload there, and those in the driver alone."""
        inside = own + self.neighbors
        driver = self.response.at(min(inside, self.depth))
        return driver * max(1.0, inside / self.depth) + self.fixed.bursts, driver

    def own(self, per_us: float) -> float:
        """I/Os of the workload that are in the device queue when it does so many per µs."""
        return min(self.threads - per_us * self.fixed.guest, self.admits) - per_us * self.fixed.service

    def throughput(self) -> float:
        """I/Os per µs without an IOPS limit: the most at which what is in the queue lasts as long as the queue takes."""
        low, high = 0.0, self.threads / (self.fixed.guest + self.fixed.service + self.response.least_us)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            own = self.own(middle)
            low, high = (middle, high) if own > 0 and own >= middle * self.wait(own)[0] else (low, middle)
        return low


def many_servers_us(service_us: float, in_flight: float, depth: float) -> float:
    """Mean wait for one of `depth` slots with random arrivals (Sakasegawa's approximation of M/M/c); 0 where they are overrun."""
    busy = in_flight / depth
    if busy >= 1:
        return 0.0
    wait: float = service_us * busy ** (np.sqrt(2 * (depth + 1)) - 1) / (depth * (1 - busy))
    return wait


def solve(queue: QueuePart) -> tuple[float, QueueTimes, Ceiling, tuple[float, float]]:
    """IOPS, times with the driver's as `array`, what holds it, and IOPS and µs of the neighbors."""
    unlimited = queue.throughput()
    per_us = min(unlimited, queue.most_iops / US)
    is_limited = per_us < unlimited
    own = queue.own(per_us)
    if is_limited:  # what the limit holds back waits before the device
        own = _own_at(queue, per_us)
    wait, driver = queue.wait(own)
    inside = own + queue.neighbors
    admitted = min(queue.threads - per_us * queue.fixed.guest, queue.admits)
    held = max(0.0, admitted - own - per_us * queue.fixed.service) / per_us
    times = QueueTimes(
        guest_queue=queue.threads / per_us - admitted / per_us,
        hypervisor=queue.fixed.hypervisor + held,
        kernel_queue=max(0.0, own / per_us - driver),
        kernel_processing=queue.fixed.processing,
        array=min(driver, own / per_us),
    )
    neighbors = (0.0, 0.0) if queue.neighbors <= 0 else (queue.neighbors / wait * US, wait)
    if is_limited:
        return per_us * US, times, Ceiling.IOPS_LIMIT, neighbors
    if inside >= queue.depth * (1 - 1e-6):
        return per_us * US, times, Ceiling.DEVICE_QUEUE, neighbors
    is_admitted = queue.threads - per_us * queue.fixed.guest > queue.admits * (1 + 1e-9)
    return per_us * US, times, Ceiling.VIRTUAL_DISK_QUEUE if is_admitted else Ceiling.THREADS, neighbors


def _own_at(queue: QueuePart, per_us: float) -> float:
    """I/Os in the device queue at a throughput below its most."""
    low, high = 0.0, queue.own(per_us)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if middle < per_us * queue.wait(middle)[0] else (low, middle)
    return high
