"""One small environment with every kind of datastore, and a minute of it as both sides report it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np

from gavel.analysis.gridded import Stretch
from gavel.analysis.minutes import Attribution, Rows, attributed
from gavel.analysis.observed import (
    DeviceSamples,
    DirectorySamples,
    DiskSamples,
    Observed,
    Proofs,
    Times,
    VolumeSamples,
)
from gavel.analysis.topology import NONE, Devices, DiskParts, Pairs, Topology, Volumes
from gavel.domain.scope import ScopeKind

FIRST = 30_000_000
NAN = np.nan
KB = 4096
S = TypeVar("S", DeviceSamples, DiskSamples, VolumeSamples, DirectorySamples)


def index(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


# Two hosts. Datastores: 0 one volume for both hosts; 1 two extents on two arrays; 2 stretched over both arrays; 3 vVol; 4 NFS.
# Devices: 0 and 1 of datastore 0; 2 and 3 of datastore 1; 4 of datastore 2; 5 the protocol endpoint. Parts are disks of their number,
# but part 5, which is disk 1 after it moved to host 0.
TOPOLOGY = Topology(
    devices=Devices(
        host=index(0, 1, 0, 0, 0, 0),
        unit=index(0, 0, 1, 2, 3, NONE),
        datastore=index(0, 0, 1, 1, 2, NONE),
        configured_depth=np.full(6, 64.0),
        endpoint=Pairs(left=index(5), right=index(4)),
    ),
    parts=DiskParts(
        disk=index(0, 1, 2, 3, 4, 1, 5),
        vm=index(0, 1, 0, 2, 3, 1, 4),
        host=index(0, 1, 0, 0, 0, 0, 0),
        datastore=index(0, 0, 1, 3, 4, 0, 2),
        unit=index(NONE, NONE, NONE, 4, 5, NONE, NONE),
        is_whole=np.array([False, False, False, True, True, False, False]),
        queue_limit=np.full(7, 64.0),
        devices=Pairs(left=index(0, 1, 2, 2, 3, 5, 6), right=index(0, 1, 2, 3, 5, 0, 4)),
    ),
    volumes=Volumes(
        unit=index(0, 1, 2, 3, 3, 4),
        array=index(0, 0, 1, 0, 1, 0),
        pod=index(NONE, NONE, NONE, 0, 0, NONE),
        mirrored_on_both=np.array([False, False, False, True, True, False]),
    ),
    units=6,
    unit_array=index(NONE, NONE, NONE, NONE, NONE, 1),
    disks=6,
    vms=5,
    datastores=5,
    arrays=2,
    pods=1,
    sources=1,
    clusters=1,
    host_source=index(0, 0),
    host_cluster=index(0, 0),
)
STRETCH = Stretch(FIRST, 1)
STREAMS = ("devices", "disks", "volumes", "directories")


def times(rows: int, length_s: int) -> Times:
    """Samples of one minute, thing by thing."""
    each = 60 // length_s
    end_s = FIRST * 60 + length_s * (1 + np.arange(rows) % each)
    return Times(
        end_us=end_s * 1_000_000,
        length_us=np.full(rows, length_s * 1_000_000),
        offset_us=np.zeros(rows, np.int64),
        error_s=np.zeros(rows),
    )


@dataclass
class Minute:
    """I/Os per second and µs by thing: devices (reads, writes, GAVG, DAVG), parts (reads, writes, latency), volumes (reads, writes,
    mirrored writes, service), directories (reads, writes, time)."""

    devices: dict[int, tuple[float, float, float, float]] = field(
        default_factory=lambda: {
            0: (300, 100, 900, 600),
            1: (100, 0, 900, 600),
            2: (30, 0, 800, 700),
            3: (10, 0, 800, 700),
            4: (50, 60, 2500, 2400),
            5: (80, 20, 700, 650),
        }
    )
    parts: dict[int, tuple[float, float, float]] = field(
        default_factory=lambda: {
            0: (300, 100, 950),
            1: (100, 0, 950),
            2: (40, 0, 850),
            3: (80, 20, 760),
            4: (70, 30, 1500),
            6: (50, 60, 2600),
        }
    )
    volumes: dict[int, tuple[float, float, float, float]] = field(
        default_factory=lambda: {
            0: (400, 100, 0, 400),
            1: (30, 0, 0, 500),
            2: (10, 0, 0, 500),
            3: (30, 0, 60, 2100),
            4: (20, 0, 60, 2100),
            5: (80, 20, 0, 500),
        }
    )
    directories: dict[int, tuple[float, float, float]] = field(default_factory=lambda: {5: (70, 30, 600)})

    def observed(self) -> Observed:
        thing, rate, values = _rows(self.devices, 3, 2)
        latency = np.stack([values[:, 0], values[:, 1], values[:, 0] - values[:, 1], np.zeros(len(thing))], axis=1)
        devices = DeviceSamples(
            device=thing,
            times=times(len(thing), 20),
            ops=rate * 20,
            bytes=rate * 20 * KB,
            latency_us=np.stack([latency] * 2, axis=1),
            queue_depth=np.full(len(thing), 64.0),
            is_millisecond=np.zeros(len(thing), np.bool_),
        )
        thing, rate, values = _rows(self.parts, 3, 2)
        latency = np.repeat(values, 2, axis=1)
        disks = DiskSamples(
            part=thing,
            times=times(len(thing), 20),
            ops=rate * 20,
            bytes=rate * 20 * KB,
            latency_us=latency,
            total_us=np.floor(latency / 1000) * 1000,
            outstanding=np.rint(rate * latency / 1e6),
        )
        thing, rate, values = _rows(self.volumes, 2, 3)
        parts = np.stack([values[:, 0], np.full(len(thing), 2.0), np.zeros(len(thing)), np.full(len(thing), NAN),
                          np.full(len(thing), 30.0)], axis=1)  # fmt: skip
        components = np.where((rate > 0)[:, :, None], parts[:, None, :], NAN)
        volumes = VolumeSamples(
            volume=thing, times=times(len(thing), 30), ops=rate * 30, bytes=rate * 30 * KB, components_us=components
        )
        thing, rate, values = _rows(self.directories, 2, 2)
        directories = DirectorySamples(
            unit=thing,
            times=times(len(thing), 30),
            ops=rate * 30,
            bytes=rate * 30 * KB,
            usec_us=np.repeat(values, 2, axis=1),
        )
        return Observed(
            devices,
            disks,
            volumes,
            directories,
            Proofs(rounding=np.zeros((1, 5), np.int64), latest=np.zeros(1, np.int64)),
        )


def _rows(of: Mapping[int, tuple[float, ...]], samples: int, ways: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Things, rates and the rest, each `samples` times."""
    numbers = np.repeat(np.array(list(of.values()), dtype=np.float64), samples, axis=0)
    return np.repeat(np.array(list(of), dtype=np.int64), samples), numbers[:, :ways], numbers[:, ways:]


def picked(samples: S, rows: np.ndarray) -> S:
    """Samples at rows, in that order."""
    # `finer` is None where there is no capture.
    own = {f.name: getattr(samples, f.name) for f in fields(samples) if f.name != "times"}
    taken: dict[str, Any] = {name: numbers[rows] for name, numbers in own.items() if numbers is not None}
    stamps = Times(**{f.name: getattr(samples.times, f.name)[rows] for f in fields(Times)})
    return replace(samples, times=stamps, **taken)


def minutes_after(observed: Observed, minutes: int, rng: np.random.Generator) -> Observed:
    """The same again minute by minute, with other numbers each time."""

    def later(samples: S) -> S:
        once = len(samples.times.end_us)
        many = picked(samples, np.tile(np.arange(once), minutes))
        after = np.repeat(np.arange(minutes, dtype=np.int64) * 60_000_000, once)
        moved: dict[str, Any] = {}
        for name in ("ops", "latency_us", "outstanding", "components_us", "usec_us"):
            if hasattr(many, name):
                numbers = getattr(many, name)
                moved[name] = np.rint(numbers * rng.uniform(0.3, 3.0, numbers.shape))
        return replace(many, times=replace(many.times, end_us=many.times.end_us + after), **moved)

    return replace(observed, **{name: later(getattr(observed, name)) for name in STREAMS})


def attribution(observed: Observed, topology: Topology = TOPOLOGY, minutes: int = 1) -> Attribution:
    return attributed(topology, observed, Stretch(FIRST, minutes))


def row(found: Attribution, kind: ScopeKind, thing: int) -> int:
    """Where the row of a thing is."""
    things: list[int] = found.rows[kind].thing.tolist()
    return things.index(thing)


def rows(found: Attribution, kind: ScopeKind) -> Rows:
    return found.rows[kind]
