"""Random environments. Harsh: days of trouble, with everything that makes counters lie. Calm: steady loads and good clocks."""

import random
from collections.abc import Callable
from functools import partial

from tests.truth.per_io.environment import (
    BEFORE_S,
    CLOSED,
    NOWHERE,
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
from tests.truth.per_io.troubles import CALM_TROUBLES, TROUBLES, bursts

# The seeds of the frozen draws begin here; what is drawn of a seed stays.
HARSH_SEED, CALM_SEED, HOUR_SEED = 1, 100_001, 200_001
_SIZES = (4096, 8192, 16384, 32768, 65536)
_DEPTHS = (16, 32, 64, 128)


def harsh(seed: int, minutes: int = 12) -> Environment:
    """Up to four troubles, bad clocks, lost samples, bursts, idle disks, strangers."""
    dice = random.Random(f"harsh {seed}")
    environment = Environment(
        seed, minutes, lost=dice.choice((0.0, 0.003, 0.01, 0.02)), unread=dice.choice((0.0, 0.0, 0.003))
    )
    _vcenters(environment, dice)
    _arrays(environment, dice, _harsh_clock)
    _hosts(environment, dice, _harsh_clock)
    _stores(environment, dice, two_extents=0.3)
    _vms(environment, dice)
    _unlike_loads(environment, dice)
    _strangers(environment, dice)
    for trouble in dice.sample(TROUBLES, dice.choice((1, 2, 2, 3, 3, 4))):
        trouble(environment, dice)
    _mishaps(environment, dice)
    return environment


def calm(seed: int, minutes: int = 12) -> Environment:
    """Steady loads, clocks known to 50 ms, one sample lost in a thousand, and a trouble in one of five."""
    dice = random.Random(f"calm {seed}")
    environment = Environment(seed, minutes, lost=0.001)
    _vcenters(environment, dice)
    _arrays(environment, dice, _calm_clock)
    _hosts(environment, dice, _calm_clock)
    _stores(environment, dice, two_extents=0.1)
    _vms(environment, dice)
    for disk in range(len(environment.disks)):
        _load(environment, dice, disk, dice.uniform(20, 180))
    if dice.random() < 0.2:
        dice.choice(CALM_TROUBLES)(environment, dice)
    return environment


# --- what there is ----------------------------------------------------------------------------------------------------


def _vcenters(environment: Environment, dice: random.Random) -> None:
    for _ in range(dice.choice((1, 1, 2))):
        latest_s = dice.choice((None, None, None, 0.5, 2.0))
        environment.vcenters.append(
            VCenter(
                version=dice.choice((8, 8, 8, 9, 9)),
                truncates=dice.random() < 0.5,
                truncates_counts=dice.random() < 0.5,
                latest_s=latest_s,
                proven=dice.random() < (0.5 if latest_s is None else 0.3),
            )
        )


def _harsh_clock(dice: random.Random) -> Clock:
    error = dice.choice((0.05, 0.1, 0.1, 0.3, 0.8))
    ahead = dice.uniform(-5, 5)
    clock = Clock(always(ahead), dice.uniform(-error, error), error, dice.uniform(0, 60))
    if dice.random() < 0.03:
        clock.ahead_s = [(-BEFORE_S, ahead), (dice.uniform(60, 600), ahead + dice.choice((-4, -2, -1, 1, 2, 4)))]
    return clock


def _calm_clock(dice: random.Random) -> Clock:
    return Clock(always(dice.uniform(-2, 2)), dice.uniform(-0.03, 0.03), 0.05, dice.uniform(0, 60))


def _arrays(environment: Environment, dice: random.Random, clock: Callable[[random.Random], Clock]) -> None:
    for _ in range(dice.choice((1, 2))):
        environment.arrays.append(
            Array(clock(dice), always(64.0), always(dice.choice((3.2e9, 6.4e9))), dice.random() < 0.5)
        )


def _hosts(environment: Environment, dice: random.Random, clock: Callable[[random.Random], Clock]) -> None:
    for number in range(dice.choice((2, 3, 3, 4))):
        vcenter = number if number < len(environment.vcenters) else dice.randrange(len(environment.vcenters))
        environment.hosts.append(
            Host(
                vcenter,
                clock(dice),
                always(dice.uniform(12, 30)),
                always(dice.uniform(3, 10)),
                always(dice.choice((1.15e9, 1.6e9, 3.2e9))),
                has_kernel_counters=dice.random() >= 0.08,
            )
        )


def _stores(environment: Environment, dice: random.Random, two_extents: float) -> None:
    for _ in range(dice.choice((2, 3, 3))):
        extents = 2 if dice.random() < two_extents else 1
        first = len(environment.volumes)
        for _ in range(extents):
            array = dice.randrange(len(environment.arrays))
            environment.volumes.append(
                Volume(array, always(dice.uniform(150, 350)), always(dice.uniform(120, 300))),
            )
        environment.datastores.append(tuple(range(first, first + extents)))


def _vms(environment: Environment, dice: random.Random) -> None:
    for vm in range(dice.choice((5, 6, 7, 8))):
        host = vm if vm < len(environment.hosts) else dice.randrange(len(environment.hosts))
        environment.vm_host.append(host)
        for _ in range(dice.choice((1, 1, 1, 2))):
            volumes = dice.choice(environment.datastores)
            devices = tuple(environment.device_of(host, volume) for volume in volumes)
            share = dice.uniform(0.3, 0.9) if len(devices) > 1 else 1.0
            environment.disks.append(Disk(vm, devices, share, queue=dice.choice((32, 64, 64, 254))))
    for device in environment.devices:
        device.depth = always(float(dice.choice(_DEPTHS)))
        device.shared_depth = always(min(device.depth[0][1], float(dice.choice((32, 32, 64)))))
        device.depth_is_known = dice.random() < 0.8


# --- who does I/O -----------------------------------------------------------------------------------------------------


def _load(environment: Environment, dice: random.Random, disk: int, rate: float) -> None:
    """About so many I/Os per second, the whole time."""
    size = dice.choice(_SIZES)
    stream = partial(Stream, disk=disk, read_share=dice.choice((0.2, 0.5, 0.7, 0.9, 1.0)), size=size, large=size)
    kind = dice.choice((CLOSED, CLOSED, RANDOM, REGULAR))
    if kind == CLOSED:
        threads = dice.choice((1, 2, 4, 8, 16, 32))
        think = max(threads / rate - 0.0006, 0.0005)
        environment.streams.append(stream(always(float(threads)), CLOSED, think))
    else:
        environment.streams.append(stream(always(rate), kind))


def _unlike_loads(environment: Environment, dice: random.Random) -> None:
    """Busy ones, small ones, bursts, and what hardly does anything."""
    for disk in range(len(environment.disks)):
        what = dice.random()
        if what < 0.12:
            environment.streams.append(Stream(always(dice.uniform(0.1, 2.0)), RANDOM, disk=disk))
        elif what < 0.30:
            bursts(environment, dice, disk)
            if dice.random() < 0.5:
                _load(environment, dice, disk, dice.uniform(5, 40))
        else:
            _load(
                environment,
                dice,
                disk,
                dice.choice(
                    (dice.uniform(5, 40), dice.uniform(40, 120), dice.uniform(40, 120), dice.uniform(150, 350))
                ),
            )
        if dice.random() < 0.15:
            _mixed_sizes(environment.streams[-1], dice)
        if dice.random() < 0.2:
            _idles(environment.streams[-1], dice, environment.minutes)


def _mixed_sizes(stream: Stream, dice: random.Random) -> None:
    stream.large, stream.large_share = dice.choice((131072, 262144, 524288)), dice.uniform(0.02, 0.3)


def _idles(stream: Stream, dice: random.Random, minutes: int) -> None:
    """Stops and begins again, now and then."""
    level, at = stream.level[0][1], dice.uniform(0, 100)
    if len(stream.level) > 1:
        return
    while at < 60 * minutes:
        stream.level += [(at, 0.0), (at + dice.uniform(5, 90), level)]
        at = stream.level[-1][0] + dice.uniform(20, 300)


def _strangers(environment: Environment, dice: random.Random) -> None:
    """Initiators that no vCenter knows, and what hosts do by themselves."""
    if dice.random() < 0.25:
        volume = dice.randrange(len(environment.volumes))
        threads = float(dice.choice((1, 2, 4)))
        size = dice.choice((8192, 65536, 262144))
        think = threads / dice.uniform(30, 200)
        environment.streams.append(Stream(always(threads), CLOSED, think, volume=volume, size=size, large=size))
        if dice.random() < 0.5:
            _idles(environment.streams[-1], dice, environment.minutes)
    if dice.random() < 0.2:
        device = dice.randrange(len(environment.devices))
        environment.streams.append(Stream(always(dice.uniform(2, 100)), RANDOM, device=device))


# --- what goes wrong with the counting --------------------------------------------------------------------------------


def _mishaps(environment: Environment, dice: random.Random) -> None:
    if dice.random() < 0.12:
        host, start = dice.randrange(len(environment.hosts)), dice.uniform(60, 500)
        _restart(environment, host, start, start + dice.uniform(60, 150))
    if dice.random() < 0.06:
        start = dice.uniform(60, 600)
        environment.arrays[0].gone.append((start, start + dice.uniform(20, 70)))
    if dice.random() < 0.2:
        _stretch(environment, dice)


def _restart(environment: Environment, host: int, start: float, end: float) -> None:
    """Nothing runs there meanwhile, and nothing is counted."""
    environment.hosts[host].gone.append((start, end))
    for stream in environment.streams:
        where = stream.device if stream.disk == NOWHERE else environment.disks[stream.disk].devices[0]
        if where != NOWHERE and environment.devices[where].host == host:
            before = [value for at, value in stream.level if at <= end][-1]
            stream.level = [
                *((at, value) for at, value in stream.level if at < start),
                (start, 0.0),
                (end, before),
                *((at, value) for at, value in stream.level if at > end),
            ]


def _stretch(environment: Environment, dice: random.Random) -> None:
    """Writes of a volume go to a second array, too, and are counted by one of them or by both."""
    if len(environment.arrays) < 2:
        return
    volume = dice.choice(environment.volumes)
    trip = dice.choice((300.0, 800.0, 2000.0))
    volume.other, volume.both = 1 - volume.array, dice.random() < 0.5
    volume.mirror_us, volume.round_trip_us = always(trip), dice.choice((trip, trip, 0.0))
