"""What may go wrong with the I/O itself, each somewhere and for a while."""

import random
from collections.abc import Callable

from tests.truth.per_io.environment import BEFORE_S, CLOSED, NOWHERE, RANDOM, Environment, Step, Stream, always

Trouble = Callable[[Environment, random.Random], None]


def between(usual: float, start: float, end: float, ill: float) -> list[Step]:
    return [(-BEFORE_S, usual), (start, ill), (end, usual)]


def _while(
    environment: Environment, dice: random.Random, shortest: float = 10, longest: float = 240
) -> tuple[float, float]:
    start = dice.uniform(-30, 60 * environment.minutes - 60)
    return start, start + dice.uniform(shortest, longest)


def _busiest_rate(environment: Environment, volume: int) -> float:
    """About what goes to a volume, I/Os per second."""
    rate = 0.0
    for stream in environment.streams:
        on = (
            [environment.devices[one].volume for one in environment.disks[stream.disk].devices]
            if stream.disk != NOWHERE
            else []
        )
        if volume in on:
            level = stream.level[0][1]
            rate += level / (stream.think_s + 0.0006) if stream.kind == CLOSED else level
    return rate


def _busy_disk(environment: Environment, dice: random.Random) -> int:
    busy = [one.disk for one in environment.streams if one.disk != NOWHERE and one.level[0][1] * 1 >= 1]
    return dice.choice(busy or [0])


def _volume_of(environment: Environment, disk: int) -> int:
    return environment.devices[environment.disks[disk].devices[0]].volume


def bursts(environment: Environment, dice: random.Random, disk: int) -> None:
    """0.3 to 2 s of much, once in a while; sometimes about when a minute ends."""
    level, at = [(-BEFORE_S, 0.0)], dice.uniform(-60, 30)
    rate, gap = dice.choice((300.0, 1000.0, 2500.0)), dice.uniform(15, 75)
    while at < 60 * environment.minutes + 60:
        if dice.random() < 0.3:
            at = 60 * round(at / 60) + dice.uniform(-2.5, 1.5)
        at = max(at, level[-1][0] + 0.1)
        level += [(at, rate), (at + dice.uniform(0.3, 2.0), 0.0)]
        at = level[-1][0] + gap * dice.uniform(0.6, 1.4)
    size = dice.choice((4096, 16384, 65536))
    environment.streams.append(
        Stream(level, RANDOM, disk=disk, read_share=dice.choice((0.0, 0.5, 1.0)), size=size, large=size)
    )


# --- the array --------------------------------------------------------------------------------------------------------


def throttled(environment: Environment, dice: random.Random) -> None:
    """A QoS limit, for a while."""
    volume = _volume_of(environment, _busy_disk(environment, dice))
    limit = max(10.0, _busiest_rate(environment, volume) * dice.uniform(0.1, 0.8))
    start, end = _while(environment, dice, 15, 90)
    environment.volumes[volume].qos = between(0.0, start, end, limit)
    environment.story.append(f"volume {volume}: QoS limit {limit:.0f}/s, {start:.0f}–{end:.0f} s")


def burst_into_limit(environment: Environment, dice: random.Random) -> None:
    """A limit that only bursts come to."""
    disk = _busy_disk(environment, dice)
    volume = _volume_of(environment, disk)
    limit = max(30.0, _busiest_rate(environment, volume) * dice.uniform(1.1, 2.0))
    start, end = _while(environment, dice, 60, 240)
    if dice.random() < 0.5:
        start, end = -BEFORE_S + 1, environment.until_s
    environment.volumes[volume].qos = between(0.0, start, end, limit)
    bursts(environment, dice, disk)
    environment.story.append(
        f"volume {volume}: QoS limit {limit:.0f}/s, {start:.0f}–{end:.0f} s, bursts of disk {disk}"
    )


def slow_service(environment: Environment, dice: random.Random) -> None:
    number = _volume_of(environment, _busy_disk(environment, dice))
    volume, (start, end) = environment.volumes[number], _while(environment, dice)
    factor = dice.choice((1.8, 2.3, 3, 4, 10, 40))
    for name in ("read_us", "write_us"):
        usual = getattr(volume, name)[0][1]
        setattr(volume, name, between(usual, start, end, factor * usual))
    environment.story.append(f"volume {number}: service × {factor}, {start:.0f}–{end:.0f} s")


def few_controllers(environment: Environment, dice: random.Random) -> None:
    """The array serves but one or two I/Os at once."""
    array = dice.randrange(len(environment.arrays))
    start, end = _while(environment, dice, 5, 90)
    environment.arrays[array].servers = between(64.0, start, end, float(dice.choice((1, 1, 2))))
    for volume in environment.volumes:
        if volume.array == array:
            usual = volume.read_us[0][1]
            volume.read_us = between(usual, start, end, usual * dice.uniform(1, 4))
    environment.story.append(f"array {array}: few controllers, {start:.0f}–{end:.0f} s")


def stalls(environment: Environment, dice: random.Random) -> None:
    """Nothing, for a moment."""
    array, start = dice.randrange(len(environment.arrays)), dice.uniform(30, 60 * environment.minutes - 30)
    if dice.random() < 0.5:
        start = 60 * round(start / 60) - dice.uniform(0, 2)
    environment.arrays[array].servers = between(64.0, start, start + dice.uniform(0.3, 1.5), 0.0)
    environment.story.append(f"array {array}: stalls at {start:.1f} s")


def slow_mirror(environment: Environment, dice: random.Random) -> None:
    """Writes of a volume wait for its other half."""
    number = _volume_of(environment, _busy_disk(environment, dice))
    start, end = _while(environment, dice, 30, 300)
    environment.volumes[number].mirror_us = between(0.0, start, end, dice.choice((400.0, 700.0, 1500.0, 6000.0)))
    environment.story.append(f"volume {number}: writes wait, {start:.0f}–{end:.0f} s")


# --- the SAN ----------------------------------------------------------------------------------------------------------


def congested(environment: Environment, dice: random.Random) -> None:
    host = dice.randrange(len(environment.hosts))
    start, end = _while(environment, dice)
    extra = dice.choice((100.0, 130.0, 180.0, 400.0, 1000.0, 4000.0))
    environment.hosts[host].jitter_us = between(environment.hosts[host].jitter_us[0][1], start, end, extra)
    environment.story.append(f"host {host}: jitter {extra:.0f} µs each way, {start:.0f}–{end:.0f} s")


def full_link(environment: Environment, dice: random.Random) -> None:
    """Large I/O over a link that just about carries it."""
    disk = _busy_disk(environment, dice)
    host = environment.devices[environment.disks[disk].devices[0]].host
    start, end = _while(environment, dice, 20, 200)
    threads, size = float(dice.choice((2, 4, 8))), dice.choice((131072, 262144, 524288))
    level = between(0.0, start, end, threads)
    environment.streams.append(
        Stream(level, CLOSED, 0.002, disk=disk, size=size, large=size, read_share=dice.choice((0.0, 1.0)))
    )
    rate = dice.choice((2e7, 4e7, 8e7))
    environment.hosts[host].link = between(environment.hosts[host].link[0][1], start, end, rate)
    environment.story.append(
        f"host {host}: link {rate / 1e6:.0f} MB/s with large I/O of disk {disk}, {start:.0f}–{end:.0f} s"
    )


def full_port(environment: Environment, dice: random.Random) -> None:
    """The array's port is full of somebody's large I/O."""
    volume = _volume_of(environment, _busy_disk(environment, dice))
    array = environment.volumes[volume].array
    start, end = _while(environment, dice, 20, 200)
    rate, threads = dice.choice((3e7, 6e7)), float(dice.choice((1, 2, 4)))
    usual = environment.arrays[array].port[0][1]
    environment.arrays[array].port = between(usual, start, end, rate)
    level = between(0.0, start, end, threads)
    environment.streams.append(Stream(level, CLOSED, 0.003, volume=volume, size=131072, large=131072))
    environment.story.append(
        f"array {array}: port {rate / 1e6:.0f} MB/s, a stranger's large I/O, {start:.0f}–{end:.0f} s"
    )


# --- the host ---------------------------------------------------------------------------------------------------------


def slow_kernel(environment: Environment, dice: random.Random) -> None:
    device = environment.disks[_busy_disk(environment, dice)].devices[0]
    start, end = _while(environment, dice)
    extra = dice.choice((220.0, 280.0, 350.0, 600.0, 3000.0, 12000.0))
    environment.devices[device].kernel_us = between(8.0, start, end, extra)
    environment.story.append(f"device {device}: kernel {extra:.0f} µs, {start:.0f}–{end:.0f} s")


def shallow(environment: Environment, dice: random.Random) -> None:
    """A device queue that is too short for one of its VMs' loads."""
    disk = _busy_disk(environment, dice)
    device, (start, end) = environment.disks[disk].devices[0], _while(environment, dice)
    depth = float(dice.choice((1, 2, 4)))
    usual = environment.devices[device].depth[0][1]
    environment.devices[device].depth = between(usual, start, end, depth)
    level = between(0.0, start, end, depth * dice.choice((2, 4)))
    environment.streams.append(Stream(level, CLOSED, dice.uniform(0.004, 0.02), disk=disk, size=8192, large=8192))
    environment.story.append(f"device {device}: depth {depth:.0f} under disk {disk}, {start:.0f}–{end:.0f} s")


def competing(environment: Environment, dice: random.Random) -> None:
    """DSNRO: two VMs on a device share few slots."""
    disk = _busy_disk(environment, dice)
    device = environment.disks[disk].devices[0]
    shared = float(dice.choice((1, 2, 4)))
    environment.devices[device].shared_depth = always(shared)
    start, end = _while(environment, dice)
    host = environment.devices[device].host
    others = [
        number
        for number, one in enumerate(environment.disks)
        if device in one.devices and one.vm != environment.disks[disk].vm and environment.vm_host[one.vm] == host
    ]
    for number in [disk, *others[:1]]:
        level = between(0.0, start, end, 2 * shared)
        environment.streams.append(Stream(level, CLOSED, dice.uniform(0.005, 0.02), disk=number))
    environment.story.append(f"device {device}: {shared:.0f} slots for two VMs, {start:.0f}–{end:.0f} s")


def limited(environment: Environment, dice: random.Random) -> None:
    """A limit of I/Os per second on a virtual disk."""
    disk = _busy_disk(environment, dice)
    start, end = _while(environment, dice, 20, 400)
    mine = [one for one in environment.streams if one.disk == disk]
    rate = sum(s.level[0][1] / (s.think_s + 0.0006) if s.kind == CLOSED else s.level[0][1] for s in mine)
    limit = max(10.0, rate * dice.uniform(0.3, 0.9))
    environment.disks[disk].limit = between(0.0, start, end, limit)
    environment.story.append(f"disk {disk}: limit {limit:.0f}/s, {start:.0f}–{end:.0f} s")


def slow_hypervisor(environment: Environment, dice: random.Random) -> None:
    """A chain of snapshots, an I/O filter."""
    disk = _busy_disk(environment, dice)
    start, end = _while(environment, dice)
    extra = dice.choice((230.0, 300.0, 400.0, 800.0, 3000.0))
    environment.disks[disk].time_us = between(8.0, start, end, extra)
    environment.story.append(f"disk {disk}: hypervisor {extra:.0f} µs, {start:.0f}–{end:.0f} s")


def one_greedy(environment: Environment, dice: random.Random) -> None:
    """One VM keeps many I/Os going while the others go on as before."""
    disk = _busy_disk(environment, dice)
    start, end = _while(environment, dice)
    threads = float(dice.choice((16, 32, 64)))
    think = threads / dice.uniform(300, 900)
    environment.streams.append(
        Stream(between(0.0, start, end, threads), CLOSED, think, disk=disk, size=32768, large=32768)
    )
    environment.story.append(f"disk {disk}: {threads:.0f} threads, {start:.0f}–{end:.0f} s")


TROUBLES: tuple[Trouble, ...] = (
    throttled,
    burst_into_limit,
    slow_service,
    slow_service,
    slow_service,
    few_controllers,
    stalls,
    slow_mirror,
    slow_mirror,
    congested,
    congested,
    congested,
    full_link,
    full_port,
    slow_kernel,
    slow_kernel,
    slow_kernel,
    shallow,
    competing,
    limited,
    slow_hypervisor,
    slow_hypervisor,
    slow_hypervisor,
    one_greedy,
)
# Those that go on steadily while they last.
CALM_TROUBLES: tuple[Trouble, ...] = (slow_service, slow_mirror, congested, slow_kernel, slow_hypervisor, limited)
