"""CPU seconds to attribute one minute of 20,000 vm_disk and 4,000 host_device rows, from samples to the rows of every kind.

Run as a program: `python tests/benchmarks/attribute.py`. One thread, best of five; the parts are measured in the same runs.
"""

import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Threads of a linear algebra library would count for more than one processor.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from gavel.analysis import minutes as whole
from gavel.analysis.gridded import Stretch
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

GOAL_S = 0.5
VM_DISKS, VMS, HOSTS, DATASTORES, HOSTS_PER_DATASTORE = 20_000, 6_700, 100, 2_000, 2
DEVICES = DATASTORES * HOSTS_PER_DATASTORE
MINUTE = 30_000_000
RUNS = 5
PARTS = {
    "alignment to the minute": (
        "device_minutes",
        "disk_samples",
        "tidied",
        "disk_minutes",
        "volume_minutes",
        "directory_minutes",
    ),
    "both sides": ("sides", "unit_host_ops", "mirroring"),
    "leaves": ("device_leaves", "disk_leaves"),
    "parents": ("parents",),
    "proofs of counters": ("evidence_of",),
}


def topology(rng: np.random.Generator) -> Topology:
    """Every datastore is one volume that two hosts see; a disk's VM runs on one of them."""
    datastore = np.repeat(np.arange(DATASTORES), HOSTS_PER_DATASTORE)
    host = (datastore + np.tile(np.arange(HOSTS_PER_DATASTORE), DATASTORES) * 50) % HOSTS
    device = rng.integers(0, DEVICES, VM_DISKS)
    empty = np.zeros(0, np.int64)
    none = np.full(VM_DISKS, NONE)
    return Topology(
        devices=Devices(
            host=host,
            unit=datastore,
            datastore=datastore,
            configured_depth=np.full(DEVICES, 64.0),
            endpoint=Pairs(left=empty, right=empty),
        ),
        parts=DiskParts(
            disk=np.arange(VM_DISKS),
            vm=np.arange(VM_DISKS) % VMS,
            host=host[device],
            datastore=datastore[device],
            unit=none,
            is_whole=np.zeros(VM_DISKS, np.bool_),
            queue_limit=np.full(VM_DISKS, 64.0),
            devices=Pairs(left=np.arange(VM_DISKS), right=device),
        ),
        volumes=Volumes(
            unit=np.arange(DATASTORES),
            array=np.arange(DATASTORES) % 20,
            pod=np.full(DATASTORES, NONE),
            mirrored_on_both=np.zeros(DATASTORES, np.bool_),
        ),
        units=DATASTORES,
        unit_array=np.full(DATASTORES, NONE),
        disks=VM_DISKS,
        vms=VMS,
        datastores=DATASTORES,
        arrays=20,
        pods=0,
        sources=2,
        clusters=10,
        host_source=np.arange(HOSTS) % 2,
        host_cluster=np.arange(HOSTS) % 10,
    )


def times(things: int, length_s: int, offset_s: float) -> Times:
    """All samples that touch the minute and one more on either side, of a clock that is off by so much, thing by thing."""
    ends_s = np.arange(-length_s, 60 + 2 * length_s, length_s) + length_s
    rows = things * len(ends_s)
    end_us = np.tile((MINUTE * 60 + ends_s) * 1_000_000, things)
    offset = np.full(rows, int(offset_s * 1e6))
    return Times(
        end_us=end_us, length_us=np.full(rows, length_s * 1_000_000), offset_us=offset, error_s=np.full(rows, 0.1)
    )


def observed(rng: np.random.Generator, environment: Topology) -> Observed:
    """Host clocks are off, so that samples are cut by the minute's edges, as they are in life."""
    stamps = times(DEVICES, 20, 3.3)
    rows = len(stamps.end_us)
    device = np.repeat(np.arange(DEVICES), rows // DEVICES)
    driver = rng.uniform(200, 900, (rows, 2))
    kernel = rng.exponential(100, (rows, 2))
    latency = np.stack([driver + kernel, driver, kernel, kernel / 2], axis=2)
    coarse = (environment.host_source[environment.devices.host[device]] == 0)[:, None, None]
    latency = np.where(coarse, np.floor(latency / 1000) * 1000, np.rint(latency))
    ops = rng.integers(1, 20_000, (rows, 2)).astype(np.float64)
    devices = DeviceSamples(
        device=device,
        times=stamps,
        ops=ops,
        bytes=ops * 8192,
        latency_us=latency,
        queue_depth=np.full(rows, 64.0),
        is_millisecond=coarse[:, 0, 0],
    )
    stamps = times(VM_DISKS, 20, 3.3)
    rows = len(stamps.end_us)
    ops = rng.integers(1, 200, (rows, 2)).astype(np.float64) * 20.0
    latency = np.rint(rng.uniform(300, 1500, (rows, 2)))
    disks = DiskSamples(
        part=np.repeat(np.arange(VM_DISKS), rows // VM_DISKS), times=stamps, ops=ops, bytes=ops * 8192, latency_us=latency,
        total_us=np.floor(latency / 1000) * 1000, outstanding=np.rint(ops * latency / 20e6),
    )  # fmt: skip
    stamps = times(DATASTORES, 30, -1.7)
    rows = len(stamps.end_us)
    ops = np.concatenate([rng.integers(1, 2000, (rows, 2)) * 30.0, np.zeros((rows, 1))], axis=1)
    parts = np.rint(rng.uniform(0, 200, (rows, 3, 5)))
    volumes = VolumeSamples(
        volume=np.repeat(np.arange(DATASTORES), rows // DATASTORES),
        times=stamps,
        ops=ops,
        bytes=ops * 8192,
        components_us=parts,
    )
    none = np.zeros((0, 2))
    directories = DirectorySamples(
        unit=np.zeros(0, np.int64), times=times(0, 30, 0.0), ops=none, bytes=none, usec_us=none
    )
    return Observed(
        devices, disks, volumes, directories, Proofs(rounding=np.zeros((2, 5), np.int64), latest=np.zeros(2, np.int64))
    )


@contextmanager
def clocked(spent: dict[str, float]) -> Iterator[None]:
    """The parts of the minute, each with a watch around it."""
    originals = {name: getattr(whole, name) for names in PARTS.values() for name in names}

    def timed(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            started = time.process_time()
            result = function(*arguments)
            result = list(result) if isinstance(result, Iterator) else result
            spent[part] += time.process_time() - started
            return result

        return run

    for part, names in PARTS.items():
        for name in names:
            setattr(whole, name, timed(part, originals[name]))
    try:
        yield
    finally:
        for name, function in originals.items():
            setattr(whole, name, function)


def main() -> int:
    rng = np.random.default_rng(3)
    environment = topology(rng)
    minute = observed(rng, environment)
    best, parts, found = np.inf, {}, None
    for _ in range(RUNS):
        spent: dict[str, float] = defaultdict(float)
        with clocked(spent):
            started = time.process_time()
            found = whole.attributed(environment, minute, Stretch(MINUTE, 1))
            cost = time.process_time() - started
        if cost < best:
            best, parts = cost, {**spent, "the rest": cost - sum(spent.values())}
    assert found is not None
    rows = {kind: len(found.rows[kind].thing) for kind in (ScopeKind.VM_DISK, ScopeKind.HOST_DEVICE)}
    lines = [f"  {part:<25}{seconds:7.3f} s" for part, seconds in parts.items()]
    head = f"one minute of {rows[ScopeKind.VM_DISK]:,} vm_disk + {rows[ScopeKind.HOST_DEVICE]:,} host_device rows"
    sys.stdout.write("\n".join([f"{head}: {best:.3f} s CPU (goal {GOAL_S})", *lines, ""]))
    return 0 if best <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main())
