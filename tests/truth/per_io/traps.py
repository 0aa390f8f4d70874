"""Fixed environments, each made around one mechanism that can mislead, with what may be said of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.truth.per_io.environment import (
    BEFORE_S,
    CLOSED,
    RANDOM,
    REGULAR,
    Array,
    Clock,
    Disk,
    Environment,
    Host,
    Stream,
    VCenter,
    Volume,
    always,
)


@dataclass(frozen=True)
class Trap:
    """environment: made anew each time; shows: what can mislead there."""

    environment: Callable[[], Environment]
    shows: str


def _plain(version: int = 9, *, vms: int = 2, hosts: int = 1, minutes: int = 8, **of_vcenter: object) -> Environment:
    """An array, a volume, VMs of a disk each; clocks perfect and known to be."""
    environment = Environment(900 + version, minutes, vcenters=[VCenter(version, **of_vcenter)])  # type: ignore[arg-type]
    clocks = Clock(error_s=0.01)
    environment.hosts = [Host(0, clocks) for _ in range(hosts)]
    environment.arrays, environment.volumes, environment.datastores = [Array(clocks)], [Volume(0)], [(0,)]
    for vm in range(vms):
        environment.vm_host.append(vm % hosts)
        environment.disks.append(Disk(vm, (environment.device_of(vm % hosts, 0),)))
    return environment


def _unlike_parts(version: int) -> Environment:
    """Two VMs on a device with one slot: one keeps twelve I/Os going, now and then; the other goes on at a pace of its own."""
    environment = _plain(version, proven=True)
    environment.devices[0].depth = always(1.0)
    environment.streams = [
        Stream([(-BEFORE_S, 0.0), *_bursts(environment.minutes, 10.0, 4.0, 12.0)], CLOSED, 0.004, disk=0),
        Stream(always(150.0), REGULAR, disk=1),
    ]
    return environment


def _bursts(minutes: int, every: float, length: float, level: float) -> list[tuple[float, float]]:
    starts = [n * every for n in range(int(60 * minutes / every))]
    return [step for start in starts for step in ((start, level), (start + length, 0.0))]


def _throttled_part(version: int) -> Environment:
    """A QoS limit for 38 s: the closed loop on one host is held back, the steady VM on another goes on as ever and waits in a crowd."""
    environment = _plain(version, hosts=2, minutes=6, proven=True)
    environment.streams = [
        Stream(always(8.0), CLOSED, 0.004, disk=0),
        Stream(always(40.0), REGULAR, disk=1),
    ]
    environment.volumes[0].qos = [(-BEFORE_S, 0.0), (190.0, 50.0), (228.0, 0.0)]
    return environment


def _lost_array_sample(version: int) -> Environment:
    """The array is slow in the half of a minute whose sample is lost."""
    environment = _plain(version, minutes=8, proven=True)
    environment.streams = [Stream(always(200.0), RANDOM, disk=disk) for disk in range(2)]
    slow = [(-BEFORE_S, 250.0)]
    for minute in (3, 5):
        slow += [(60.0 * minute + 30, 4500.0), (60.0 * minute + 60, 250.0)]
        environment.lost_samples.append(("array", 0, 60.0 * minute + 31))
    environment.volumes[0].read_us, environment.volumes[0].write_us = slow, slow
    return environment


def _unseen_steady(version: int) -> Environment:
    """A server outside any vCenter does 1 MiB I/Os on the volume; the VM's own are fast."""
    environment = _plain(version, vms=1, proven=True)
    environment.volumes[0].read_us = always(250.0)
    environment.arrays[0].port = always(4e8)
    environment.streams = [
        Stream(always(60.0), REGULAR, disk=0, size=4096, large=4096),
        Stream(always(1.0), CLOSED, 0.004, volume=0, size=1 << 20, large=1 << 20, read_share=0.0),
    ]
    return environment


def _large_io(version: int) -> Environment:
    """1 MiB over 16G Fibre Channel, with nothing wrong."""
    environment = _plain(version, vms=1, proven=True)
    environment.arrays[0].port = always(6.4e9)
    environment.streams = [Stream(always(20.0), REGULAR, disk=0, size=1 << 20, large=1 << 20)]
    return environment


def _competing(version: int) -> Environment:
    """DSNRO 2: from minute 3 on a second VM shares the device of the first."""
    environment = _plain(version, minutes=6, proven=True)
    environment.devices[0].depth, environment.devices[0].shared_depth = always(8.0), always(2.0)
    environment.volumes[0].read_us = environment.volumes[0].write_us = always(480.0)
    environment.streams = [
        Stream(always(6.0), CLOSED, 0.001, disk=0),
        Stream([(-BEFORE_S, 0.0), (180.0, 6.0)], CLOSED, 0.001, disk=1),
    ]
    return environment


def _burst_at_edge(version: int) -> Environment:
    """120 slow I/Os, all of them just before the minute, in a sample that straddles its edge."""
    environment = _plain(version, vms=1, minutes=6, proven=True)
    environment.hosts[0].clock = Clock(always(-4.6), error_s=0.05)
    environment.devices[0].kernel_us = [(-BEFORE_S, 8.0), (174.9, 300_000.0), (178.0, 8.0)]
    environment.streams = [
        Stream(always(10.0), REGULAR, disk=0),
        Stream([(-BEFORE_S, 0.0), (175.0, 400.0), (175.3, 0.0)], RANDOM, disk=0),
    ]
    return environment


def _two_extents(version: int) -> Environment:
    """A datastore of two volumes; one of them is throttled for 24 s."""
    environment = _plain(version, vms=2, minutes=6, proven=True)
    environment.volumes.append(Volume(0))
    environment.datastores = [(0, 1)]
    second = environment.device_of(0, 1)
    for disk in environment.disks:
        disk.devices, disk.first_share = (0, second), 0.7
    environment.volumes[1].qos = [(-BEFORE_S, 0.0), (190.0, 30.0), (214.0, 0.0)]
    environment.streams = [Stream(always(8.0), CLOSED, 0.03, disk=0), Stream(always(60.0), RANDOM, disk=1)]
    return environment


def _instants() -> Environment:
    """`latest` is proven an instant: the virtual disk is measured in whole milliseconds but for that. Nothing is wrong."""
    environment = _plain(9, proven=True, latest_s=1.0)
    environment.streams = [Stream(always(150.0), RANDOM, disk=disk) for disk in range(2)]
    return environment


def _limit(version: int) -> Environment:
    """An I/O limit on a disk: the hypervisor holds back what the guest asks for."""
    environment = _plain(version, vms=1, proven=True)
    environment.disks[0].limit = always(500.0)
    environment.streams = [Stream(always(8.0), CLOSED, 0.0, disk=0)]
    return environment


def _sparse(version: int) -> Environment:
    """One I/O in 0.8 s, of 40 ms in the array each."""
    environment = _plain(version, vms=1, proven=True)
    environment.volumes[0].read_us = environment.volumes[0].write_us = always(40_000.0)
    environment.streams = [Stream(always(1.2), REGULAR, disk=0)]
    return environment


def _both(make: Callable[[int], Environment], name: str) -> dict[str, Trap]:
    def of(version: int) -> Callable[[], Environment]:
        return lambda: make(version)

    return {f"{name}-v{version}": Trap(of(version), make.__doc__ or name) for version in (9, 8)}


TRAPS: Mapping[str, Trap] = {
    **_both(_unlike_parts, "unlike-parts"),
    **_both(_throttled_part, "throttled-part"),
    **_both(_lost_array_sample, "lost-array-sample"),
    **_both(_unseen_steady, "unseen-steady"),
    **_both(_large_io, "large-io"),
    **_both(_competing, "dsnro"),
    **_both(_burst_at_edge, "burst-at-edge"),
    **_both(_two_extents, "two-extents"),
    "instants-v9": Trap(_instants, _instants.__doc__ or ""),
    **_both(_limit, "io-limit"),
    **_both(_sparse, "sparse"),
}
