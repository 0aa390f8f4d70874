"""An environment as it is drawn: what exists, what it can do at which time, who does I/O, and how well it is counted."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

# Unix time of minute 0 of every environment.
FIRST_MINUTE = 29_400_000
BASE_S = FIRST_MINUTE * 60
# I/O begins so long before the first minute and goes on so long after the last: counters reach beyond the minutes.
BEFORE_S, AFTER_S = 100.0, 80.0
# Kinds of streams: a closed loop, and I/Os that arrive by chance or at a steady pace.
CLOSED, RANDOM, REGULAR = range(3)
NOWHERE = -1
Step = tuple[float, float]
"""From when on, and what."""
Steps = Sequence[Step]
_US = 1e-6


def always(value: float) -> list[Step]:
    return [(-BEFORE_S, value)]


@dataclass
class Clock:
    """ahead_s: how far it runs ahead, from when on; wrong_s: what its readings are off by, which `error_s` bounds."""

    ahead_s: list[Step] = field(default_factory=lambda: always(0.0))
    wrong_s: float = 0.0
    error_s: float = 0.05
    read_phase_s: float = 30.0

    def ahead(self, at: float) -> float:
        return [ahead for since, ahead in self.ahead_s if since <= at][-1]

    def passes(self, stamps: np.ndarray) -> np.ndarray:
        """When the clock first shows each stamp (seconds since minute 0). A stamp that a step left out is shown at the step."""
        shown = stamps - self.ahead_s[0][1]
        for since, ahead in self.ahead_s[1:]:
            shown = np.where(shown < since, shown, np.maximum(since, stamps - ahead))
        return shown


@dataclass
class VCenter:
    """version: 8 or 9. latest_s: None when `latest` is the mean of the 20 s, else how short an instant it shows."""

    version: int = 9
    truncates: bool = False
    truncates_counts: bool = False
    latest_s: float | None = None
    proven: bool = False

    @property
    def mode(self) -> str:
        latest = "mean" if self.latest_s is None else "instant"
        cuts = "truncates" if self.truncates else "rounds"
        return f"{self.version} {cuts}, latest {latest}, {'proven' if self.proven else 'unproven'}"


@dataclass
class Host:
    """gone: (from, to) while it restarts or its vCenter cannot read it: no samples."""

    vcenter: int
    clock: Clock = field(default_factory=Clock)
    flight_us: list[Step] = field(default_factory=lambda: always(20.0))
    jitter_us: list[Step] = field(default_factory=lambda: always(6.0))
    link: list[Step] = field(default_factory=lambda: always(1.6e9))
    gone: list[tuple[float, float]] = field(default_factory=list)
    has_kernel_counters: bool = True


@dataclass
class Array:
    clock: Clock = field(default_factory=Clock)
    servers: list[Step] = field(default_factory=lambda: always(64.0))
    port: list[Step] = field(default_factory=lambda: always(3.2e9))
    truncates: bool = False
    gone: list[tuple[float, float]] = field(default_factory=list)


@dataclass
class Volume:
    """other: the second array of a stretched pod; both: a mirrored write is counted on both."""

    array: int
    read_us: list[Step] = field(default_factory=lambda: always(250.0))
    write_us: list[Step] = field(default_factory=lambda: always(200.0))
    mirror_us: list[Step] = field(default_factory=lambda: always(0.0))
    qos: list[Step] = field(default_factory=lambda: always(0.0))
    other: int = NOWHERE
    both: bool = False
    round_trip_us: float = 0.0


@dataclass
class Device:
    host: int
    volume: int
    kernel_us: list[Step] = field(default_factory=lambda: always(8.0))
    depth: list[Step] = field(default_factory=lambda: always(64.0))
    shared_depth: list[Step] = field(default_factory=lambda: always(64.0))
    depth_is_known: bool = True


@dataclass
class Disk:
    """devices: one, or two of a datastore with two extents, the first taken by `first_share` of the I/Os."""

    vm: int
    devices: tuple[int, ...]
    first_share: float = 1.0
    queue: int = 64
    limit: list[Step] = field(default_factory=lambda: always(0.0))
    time_us: list[Step] = field(default_factory=lambda: always(8.0))


@dataclass
class Stream:
    """Who does I/O: a virtual disk, a host by itself (device), or an initiator outside (volume). level: I/Os a closed loop keeps
    going, or per second."""

    level: list[Step]
    kind: int = CLOSED
    think_s: float = 0.0
    disk: int = NOWHERE
    device: int = NOWHERE
    volume: int = NOWHERE
    read_share: float = 0.7
    size: int = 8192
    large: int = 8192
    large_share: float = 0.0


@dataclass
class Environment:
    """lost: part of samples that never come; unread: part of single values that come as −1."""

    seed: int
    minutes: int = 12
    vcenters: list[VCenter] = field(default_factory=list)
    hosts: list[Host] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    volumes: list[Volume] = field(default_factory=list)
    datastores: list[tuple[int, ...]] = field(default_factory=list)
    devices: list[Device] = field(default_factory=list)
    vm_host: list[int] = field(default_factory=list)
    disks: list[Disk] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)
    lost: float = 0.0
    unread: float = 0.0
    lost_samples: list[tuple[str, int, float]] = field(default_factory=list)
    story: list[str] = field(default_factory=list)

    @property
    def until_s(self) -> float:
        return 60.0 * self.minutes + AFTER_S

    @cached_property
    def store_of_volume(self) -> dict[int, int]:
        return {volume: store for store, volumes in enumerate(self.datastores) for volume in volumes}

    def device_of(self, host: int, volume: int) -> int:
        """The host's device of a volume; there from the first time on that it is asked for."""
        for number, device in enumerate(self.devices):
            if (device.host, device.volume) == (host, volume):
                return number
        self.devices.append(Device(host, volume))
        return len(self.devices) - 1

    def machine(self, most: int) -> dict[str, Any]:
        """As the event core reads it, times in seconds; it refuses more than `most` I/Os."""
        return {
            "Seed": self.seed,
            "Start": -BEFORE_S,
            "Until": self.until_s,
            "Most": most,
            "Streams": [self._stream(stream) for stream in self.streams],
            "Disks": [
                {"VM": one.vm, "Queue": one.queue, "Limit": _knob(one.limit), "Time": _knob(one.time_us, _US)}
                for one in self.disks
            ],
            "Devices": [
                {
                    "Host": one.host,
                    "Kernel": _knob(one.kernel_us, _US),
                    "Depth": _knob(one.depth),
                    "SharedDepth": _knob(one.shared_depth),
                }
                for one in self.devices
            ],
            "Hosts": [
                {"Flight": _knob(one.flight_us, _US), "Jitter": _knob(one.jitter_us, _US), "Link": _knob(one.link)}
                for one in self.hosts
            ],
            "Volumes": [
                {
                    "Array": one.array,
                    "Qos": _knob(one.qos),
                    "Read": _knob(one.read_us, _US),
                    "Write": _knob(one.write_us, _US),
                    "Mirror": _knob(one.mirror_us, _US),
                }
                for one in self.volumes
            ],
            "Arrays": [{"Servers": _knob(one.servers), "Port": _knob(one.port)} for one in self.arrays],
        }

    def threads(self) -> np.ndarray:
        """(threads,) stream of each: as many as a closed loop ever has, one for an open stream."""
        most = [
            round(max(level for _, level in stream.level)) if stream.kind == CLOSED else 1 for stream in self.streams
        ]
        return np.repeat(np.arange(len(most)), most)

    def _stream(self, stream: Stream) -> dict[str, Any]:
        devices = self._carriers(stream)
        return {
            "Kind": stream.kind,
            "Level": _knob(stream.level),
            "Think": stream.think_s,
            "Disk": stream.disk,
            "Devices": devices,
            "Volumes": [stream.volume if one == NOWHERE else self.devices[one].volume for one in devices],
            "FirstShare": 1.0 if stream.disk == NOWHERE else self.disks[stream.disk].first_share,
            "ReadShare": stream.read_share,
            "Sizes": [stream.size, stream.large],
            "LargeShare": stream.large_share,
        }

    def _carriers(self, stream: Stream) -> tuple[int, int]:
        """Devices of the first and the second extent."""
        if stream.disk == NOWHERE:
            return stream.device, stream.device
        return self.disks[stream.disk].devices[0], self.disks[stream.disk].devices[-1]


def _knob(steps: Steps, unit: float = 1.0) -> dict[str, list[float]]:
    return {"At": [at for at, _ in steps], "Value": [value * unit for _, value in steps]}
