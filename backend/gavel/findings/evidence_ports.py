"""What rules look at of target ports and host adapters. Rates per second, times in µs per I/O, depths in I/Os. None: not measured."""

from dataclasses import dataclass
from datetime import datetime

from gavel.findings.model import ObjectRef


@dataclass(frozen=True, slots=True, kw_only=True)
class PortHost:
    """A host with working paths to a target port. adapters: its initiators there; devices: that it reaches through it.

    depth: of the queues of these devices together, which the port can get at once at most; iops, bytes_per_s: on these paths.
    """

    host: ObjectRef
    adapters: int
    devices: int
    depth: int | None
    iops: float | None
    bytes_per_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PortLoad:
    """Traffic of a target port in [from_at, to_at) against its line rate, both of one way, in bytes per second.

    busy_s: seconds of samples in which one way or the other was near the line rate. us: of the hosts' paths to this port, other_us of
    their paths of the same devices to other ports; both come in steps of `precision_us`.
    """

    source_id: int
    array: ObjectRef
    port: str
    line_rate: float
    received: float
    transmitted: float
    busy_s: int
    hosts: tuple[PortHost, ...]
    us: float | None
    other_us: float | None
    precision_us: float
    from_at: datetime
    to_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterLoad:
    """An adapter of a host in [from_at, to_at), by its own counters: means of I/Os. full_s: seconds of samples in which I/Os were queued
    while its slots were used up. devices: with a path through it, and the depth of their queues.
    """

    source_id: int
    host: ObjectRef
    adapter: str
    active: float
    queued: float
    depth: float
    full_s: int
    devices: tuple[tuple[ObjectRef, int | None], ...]
    from_at: datetime
    to_at: datetime
