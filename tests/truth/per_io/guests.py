"""What some guests push of their own disks: counters of Telegraf's diskio, through the product's parser and writer to its samples."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from tests.truth.per_io import events as e
from tests.truth.per_io.counters import elapsed_since
from tests.truth.per_io.environment import BASE_S, BEFORE_S, NOWHERE, Environment
from tests.truth.per_io.events import Log

from gavel.analysis.observed import GuestSamples
from gavel.collectors.guest_registry import read_line_protocol
from gavel.correlate import guests as stored
from gavel.db.queries.guest_tokens import GuestToken
from gavel.db.write.guests import StoredDisk, StoredGuest
from gavel.domain.guests import GuestIdentity
from gavel.ingest import guests as written

_PART_THAT_PUSHES = 0.6
_MS = 1e3
# A reading is taken a little after its time has come.
_TAKEN_LATE_S = 0.02
# So near to the end of what was simulated nothing is read any more.
_MARGIN_S = 5.0
_TOKEN = GuestToken(1, "guests", None, datetime.fromtimestamp(BASE_S, UTC), None)
_WAYS = ("read", "write")


@dataclass(frozen=True)
class Agent:
    """How a VM's guest pushes. ahead_s: its clock; delivery_s: the shortest time from a reading to its arrival, mostly exceeded by
    `jitter_s` on average; lost: part of the pushes that never come."""

    vm: int
    interval_s: int
    ahead_s: float
    delivery_s: float
    jitter_s: float
    lost: float


def harsh_agents(environment: Environment) -> list[Agent]:
    """Bad clocks, slow networks, rare readings. With a seed of their own: the environment stays what it is without them."""
    dice = random.Random(f"harsh guests {environment.seed}")
    return [
        Agent(
            vm,
            dice.choice((10, 10, 10, 20, 30, 60)),
            dice.uniform(-3, 3),
            dice.uniform(0.05, 6),
            dice.choice((0.02, 0.3, 1.0)),
            dice.choice((0.0, 0.005, 0.02)),
        )
        for vm in range(len(environment.vm_host))
        if dice.random() < _PART_THAT_PUSHES
    ]


def calm_agents(environment: Environment) -> list[Agent]:
    """Telegraf as it is set up by default, clocks that are kept, one push lost in a thousand."""
    dice = random.Random(f"calm guests {environment.seed}")
    return [
        Agent(vm, 10, dice.uniform(-0.05, 0.05), dice.uniform(0.05, 2), 0.02, 0.001)
        for vm in range(len(environment.vm_host))
        if dice.random() < _PART_THAT_PUSHES
    ]


def pushed(environment: Environment, log: Log, agents: Sequence[Agent]) -> GuestSamples | None:
    """As the store gives them back; None where no guest pushes."""
    if not agents:
        return None
    dice = np.random.default_rng(environment.seed + 9_000_000)
    guests = {(_TOKEN.id, _identity(agent.vm).key): StoredGuest(agent.vm, None) for agent in agents}
    book = written._Book(guests, {}, Counter())
    refused = written._Refused()
    for agent in agents:
        for received_us, body in _pushes(environment, log, agent, dice):
            push = written.Push(_TOKEN, "192.0.2.1", received_us, read_line_protocol(body, "ns"))
            assert push.pushed.refused == ()
            book.take(push, push.pushed.readings, refused)
    return _samples(environment, book)


def _identity(vm: int) -> GuestIdentity:
    return GuestIdentity(f"vm-{vm}")


# --- in the guest -----------------------------------------------------------------------------------------------------


def _pushes(environment: Environment, log: Log, agent: Agent, dice: np.random.Generator) -> Iterator[tuple[int, bytes]]:
    """When each push came (µs since 1970), and its lines: those of one reading of all disks of the VM."""
    begins_s, ends_s = -BEFORE_S + _MARGIN_S, environment.until_s - _MARGIN_S
    first, last = (int((at + agent.ahead_s) // agent.interval_s) for at in (begins_s, ends_s))
    stamps = agent.interval_s * np.arange(first + 1, last + 1)
    at_s = stamps - agent.ahead_s + dice.uniform(0, _TAKEN_LATE_S, len(stamps))
    gone = environment.hosts[environment.vm_host[agent.vm]].gone
    kept = dice.random(len(stamps)) >= agent.lost
    for start, end in gone:
        kept &= (at_s < start) | (at_s > end)
    counters = {disk: _counters(environment, log, disk, at_s) for disk in _disks(environment, agent.vm)}
    arrivals = at_s + agent.delivery_s + dice.exponential(agent.jitter_s, len(stamps))
    for number in np.flatnonzero(kept).tolist():
        stamp_ns = (BASE_S + int(stamps[number])) * 1_000_000_000
        lines = [
            f"diskio,host=vm-{agent.vm},name={_device(place)} "
            + ",".join(f"{name}={int(column[number])}i" for name, column in columns.items())
            + f" {stamp_ns}"
            for place, columns in enumerate(counters.values())
        ]
        yield round((BASE_S + float(arrivals[number])) * 1e6), "\n".join(lines).encode()


def _disks(environment: Environment, vm: int) -> list[int]:
    return [number for number, disk in enumerate(environment.disks) if disk.vm == vm]


def _device(place: int) -> str:
    return f"sd{'abcdefgh'[place]}"


def _counters(environment: Environment, log: Log, disk: int, at_s: np.ndarray) -> dict[str, np.ndarray]:
    """Of one disk at each instant, as Linux counts since its start: I/Os that are done, bytes, whole ms cut off."""
    streams = [number for number, stream in enumerate(environment.streams) if stream.disk == disk]
    mine = np.flatnonzero(np.isin(log.stream, streams))
    issued, done, size, is_write = log.times[e.GUEST][mine], log.times[e.DONE][mine], log.size[mine], log.is_write[mine]
    starts = _starts(environment, disk, at_s)

    def since_start(count: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        whole: np.ndarray = np.floor(np.maximum(count(at_s) - count(starts), 0.0) + 1e-6)
        return whole

    ended = ~np.isnan(done)
    found = {}
    for way, word in enumerate(_WAYS):
        chosen = np.flatnonzero((is_write == bool(way)) & ended)
        found[f"{word}s"] = since_start(_sums(done[chosen], np.ones(len(chosen))))
        found[f"{word}_bytes"] = since_start(_sums(done[chosen], size[chosen]))
        found[f"{word}_time"] = since_start(_sums(done[chosen], (done[chosen] - issued[chosen]) * _MS))
    came, went = np.sort(issued), np.sort(done[ended])
    found["weighted_io_time"] = since_start(lambda at: (elapsed_since(came, at) - elapsed_since(went, at)) * _MS)
    return found


def _starts(environment: Environment, disk: int, at_s: np.ndarray) -> np.ndarray:
    """When the guest last started before each instant: with its host, or before everything."""
    starts = np.full(len(at_s), -2 * BEFORE_S)
    for _, end in sorted(environment.hosts[environment.vm_host[environment.disks[disk].vm]].gone):
        starts = np.where(at_s > end, end, starts)
    return starts


def _sums(times: np.ndarray, numbers: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Of the numbers, up to an instant."""
    order = np.argsort(times)
    ordered, sums = times[order], np.concatenate([[0.0], np.cumsum(numbers[order])])
    return lambda at: sums[np.searchsorted(ordered, at, side="right")]


# --- as the store gives it back ---------------------------------------------------------------------------------------


def _samples(environment: Environment, book: written._Book) -> GuestSamples | None:
    """By virtual disk, in order of time: which disk of a guest is which was given."""
    places = {
        (disk.vm, _device(_disks(environment, disk.vm).index(number))): number
        for number, disk in enumerate(environment.disks)
        if disk.vm != NOWHERE
    }
    disks: list[tuple[int, StoredDisk]] = sorted(
        ((places[each.guest_id, each.disk], each) for each in book.disks.values()), key=lambda pair: pair[0]
    )
    rows = [(number, disk, interval) for number, disk in disks for interval in disk.intervals]
    if not rows:
        return None
    clocks = {guest.id: guest.clock for guest in book.guests.values()}
    offsets = {vm: clock.offset_us for vm, clock in clocks.items() if clock is not None}
    columns = {
        "entity_id": np.array([number for number, _, _ in rows], dtype=np.int64),
        "ts": np.array([interval.ended_at_us for *_, interval in rows], dtype=np.int64),
        "interval_s": np.array([interval.interval_s for *_, interval in rows], dtype=np.int64),
        **{
            name: np.array([interval.values[name] for *_, interval in rows], dtype=np.int64)
            for name in rows[0][2].values
        },
    }
    times = stored._times(columns, np.array([offsets[disk.guest_id] for _, disk, _ in rows], dtype=np.int64))
    return stored._samples_of(columns, columns["entity_id"], times)
