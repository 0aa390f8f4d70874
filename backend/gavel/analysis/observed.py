"""What both sides reported, as it is stored: samples by position, and what is known of how their counters behave."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from gavel.analysis.align import Index, Instants
from gavel.analysis.intervals import Bools, Floats, Intervals


class HostCounter(IntEnum):
    """Latency counters whose rounding is proven one by one; the first four are the order of `DeviceSamples.latency_us`."""

    GAVG = 0
    DAVG = 1
    KAVG = 2
    QAVG = 3
    DISK_TOTAL = 4


class Latest(IntEnum):
    """What a vCenter's `latest` latency has proven to be."""

    UNPROVEN = 0
    MEAN = 1
    INSTANT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When n samples were: end by the source's clock and length in µs; offset_us: how far that clock runs ahead, true within error_s."""

    end_us: Instants
    length_us: Instants
    offset_us: Instants
    error_s: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSamples:
    """ops, bytes: (n, 2) reads, writes. latency_us: (n, 2, 4) by `HostCounter`, NaN not measured. is_millisecond: (n,).

    finer: (n, 2, 4) the same from captures of the hosts, NaN where none covers the sample; None where none covers any.
    is_captured: (n,) samples that were themselves read from a capture, whose latencies have its last digit; None: none.
    """

    device: Index
    times: Times
    ops: Floats
    bytes: Floats
    latency_us: Floats
    queue_depth: Floats
    is_millisecond: Bools
    finer: Intervals | None = None
    is_captured: Bools | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSamples:
    """latency_us: (n, 2) the µs `latest` counter; total_us: (n, 2) its integer-ms mean, in µs; outstanding: (n, 2) I/Os in flight.

    is_captured: (n,) samples that were read from a capture: total_us is a mean with its last digit there; None: none.
    """

    part: Index
    times: Times
    ops: Floats
    bytes: Floats
    latency_us: Floats
    total_us: Floats
    outstanding: Floats
    is_captured: Bools | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestSamples:
    """What guests saw of their own disks, by the virtual disks that these are. latency_us: (n, 2), true within half_width_us (n, 2).

    is_coarse: (n,) timed in ticks of ms. by_arrival: (n,) placed by when it came, since it has no time that can be used.
    """

    part: Index
    times: Times
    ops: Floats
    bytes: Floats
    latency_us: Floats
    half_width_us: Floats
    is_coarse: Bools
    by_arrival: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeSamples:
    """ops, bytes: (n, 3) reads, writes, mirrored writes. components_us: (n, 3, 5) service, queue, QoS limit, QoS scheduling, SAN;
    scheduling is NaN where the array does not report it."""

    volume: Index
    times: Times
    ops: Floats
    bytes: Floats
    components_us: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorySamples:
    """An NFS directory: one time per operation. usec_us: (n, 2)."""

    unit: Index
    times: Times
    ops: Floats
    bytes: Floats
    usec_us: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Proofs:
    """By vCenter (S,): rounding (S, 5) of each `HostCounter` as `intervals.Rounding`; latest (S,) as `Latest`; scatter_us (S,) by which
    `latest` differs from the mean at most, in all but a twentieth of the samples; None or NaN unknown."""

    rounding: npt.NDArray[np.int64]
    latest: npt.NDArray[np.int64]
    scatter_us: Floats | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """All samples that touch the minutes in question. guests: None where no guest pushes."""

    devices: DeviceSamples
    disks: DiskSamples
    volumes: VolumeSamples
    directories: DirectorySamples
    proofs: Proofs
    guests: GuestSamples | None = None

    @property
    def is_empty(self) -> bool:
        """No sample on either side."""
        sides = self.devices.device, self.disks.part, self.volumes.volume, self.directories.unit
        return not any(map(len, sides)) and (self.guests is None or not len(self.guests.part))
