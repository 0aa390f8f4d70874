"""What guests push becomes intervals in the store: one transaction per batch of requests, in which all of a request is stored or nothing.

A reading that came before changes nothing: the newest one of each disk is stored with its intervals, and what does not follow it is
counted out. So a request may be sent again when its answer was lost.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from gavel.collectors.guest_registry import OTLP_READERS, OtlpError, read_line_protocol
from gavel.db.engine import Connection
from gavel.db.queries.guest_tokens import GuestToken
from gavel.db.write.guests import (
    DiskKey,
    GuestKey,
    StoredDisk,
    StoredGuest,
    load_disks,
    lock_guests,
    new_guests,
    note_intervals,
    note_token_use,
    save_clocks,
    save_disks,
    save_guests,
    save_refusals,
)
from gavel.domain.guest_intervals import (
    DiskInterval,
    GuestClock,
    IntervalQuality,
    LastReading,
    clock_skew,
    measure_clock,
    measure_interval,
    order_fault,
    place_reading,
)
from gavel.domain.guests import DiskCounters, DiskReading, GuestDiskKind, PushedReadings, RefusalReason

# A guest has some dozens of disks and files; of what invents names, no more are kept.
MOST_DISKS = 500
MOST_GUESTS = 50_000

__all__ = ["OTLP_READERS", "OtlpError", "Push", "read_line_protocol", "store_pushes"]


@dataclass(frozen=True, slots=True)
class Push:
    """One request. peer: the address that it came from; received_us: µs since 1970 by Gavel's clock."""

    token: GuestToken
    peer: str
    received_us: int
    pushed: PushedReadings


@dataclass(slots=True)
class _Refused:
    """Lines by token and reason, with the newest in words."""

    lines: dict[tuple[int, RefusalReason], tuple[int, str]] = field(default_factory=dict)

    def add(self, token: GuestToken, reason: RefusalReason, detail: str) -> None:
        key = token.id, reason
        self.lines[key] = self.lines.get(key, (0, ""))[0] + 1, detail


def store_pushes(connection: Connection, pushes: Sequence[Push], now: datetime) -> int:
    """In the caller's transaction; returns how many intervals were made."""
    lock_guests(connection)
    refused = _Refused()
    for push in pushes:
        for line in push.pushed.refused:
            refused.add(push.token, line.reason, line.detail)
    taken = _allowed(connection, pushes, refused)
    seen = {
        (push.token.id, reading.guest.key): (reading.guest, push.peer)
        for push, readings in taken
        for reading in readings
    }
    intervals = 0
    if seen:
        guests = save_guests(connection, seen, now)
        disks = load_disks(connection, [guest.id for guest in guests.values()])
        book = _Book(guests, disks, Counter(disk.guest_id for disk in disks.values()))
        for push, readings in taken:
            book.take(push, readings, refused)
        intervals = save_disks(connection, list(book.changed.values()), now)
        note_intervals(
            connection, _windows(book.changed.values(), {guest.id: guest.clock for guest in guests.values()})
        )
        save_clocks(connection, guests.values())
    save_refusals(connection, refused.lines, now)
    note_token_use(connection, (push.token.id for push in pushes), now)
    return intervals


def _allowed(connection: Connection, pushes: Sequence[Push], refused: _Refused) -> list[tuple[Push, list[DiskReading]]]:
    """Readings of guests that their token may write for, and that it has room for."""
    taken: list[tuple[Push, list[DiskReading]]] = []
    for push in pushes:
        mine = []
        for reading in push.pushed.readings:
            if push.token.vm_names is None or reading.guest.host_name.lower() in push.token.vm_names:
                mine.append(reading)
            else:
                refused.add(
                    push.token, RefusalReason.NOT_ALLOWED, f"the token may not write for {reading.guest.host_name!r}"
                )
        taken.append((push, mine))
    keys = {(push.token.id, reading.guest.key) for push, readings in taken for reading in readings}
    unseen, counts = new_guests(connection, keys)
    beyond = _beyond(unseen, counts)
    if not beyond:
        return taken
    return [(push, _without(push, readings, beyond, refused)) for push, readings in taken]


def _beyond(unseen: Iterable[GuestKey], counts: Mapping[int, int]) -> set[GuestKey]:
    """New guests that their token has no room for."""
    room = {token_id: MOST_GUESTS - counts.get(token_id, 0) for token_id, _ in unseen}
    beyond = set()
    for token_id, key in sorted(unseen):
        room[token_id] -= 1
        if room[token_id] < 0:
            beyond.add((token_id, key))
    return beyond


def _without(
    push: Push, readings: Sequence[DiskReading], beyond: set[GuestKey], refused: _Refused
) -> list[DiskReading]:
    kept = []
    for reading in readings:
        if (push.token.id, reading.guest.key) in beyond:
            refused.add(push.token, RefusalReason.TOO_MANY, f"{MOST_GUESTS} guests have come with this token already")
        else:
            kept.append(reading)
    return kept


# Intervals of a batch that are no further apart are noted as one.
_APART_US = 60_000_000


def _windows(disks: Iterable[StoredDisk], clocks: Mapping[int, GuestClock | None]) -> list[tuple[int, int]]:
    """Times by Gavel's clock that matched disks have new intervals of, in order; with the neighbors, which have a say at minutes' edges."""
    spans: list[tuple[int, int]] = []
    for disk in disks:
        if disk.is_matched and disk.kind is GuestDiskKind.DISK:
            clock = clocks[disk.guest_id]
            ahead_us = 0 if clock is None else clock_skew(clock.offset_us)[0]
            for interval in disk.intervals:
                end_us = interval.ended_at_us
                if interval.values["data_quality"] != IntervalQuality.C:
                    end_us -= ahead_us
                length_us = interval.interval_s * 1_000_000
                spans.append((end_us - 2 * length_us, end_us + length_us))
    windows: list[tuple[int, int]] = []
    for since_us, until_us in sorted(spans):
        if windows and since_us - windows[-1][1] <= _APART_US:
            windows[-1] = windows[-1][0], max(windows[-1][1], until_us)
        else:
            windows.append((since_us, until_us))
    return windows


@dataclass(slots=True)
class _Book:
    """Guests of a batch with all their disks, and which of these changed."""

    guests: Mapping[GuestKey, StoredGuest]
    disks: dict[DiskKey, StoredDisk]
    sizes: Counter[int]
    changed: dict[DiskKey, StoredDisk] = field(default_factory=dict)

    def take(self, push: Push, readings: Sequence[DiskReading], refused: _Refused) -> None:
        """The readings of one request, in its order."""
        newest = _newest(readings)
        for key, newest_at_us in newest.items():
            guest = self.guests[push.token.id, key]
            if newest_at_us is not None:
                guest.clock = measure_clock(guest.clock, newest_at_us, push.received_us)
        for reading in readings:
            fault = self._take_reading(push, reading, newest[reading.guest.key])
            if fault is not None:
                refused.add(push.token, fault, f"{reading.guest.host_name} {reading.disk}")

    def _take_reading(self, push: Push, reading: DiskReading, newest_at_us: int | None) -> RefusalReason | None:
        """Why it is not used, or ends no interval."""
        guest = self.guests[push.token.id, reading.guest.key]
        placed = place_reading(reading.at_us, newest_at_us, push.received_us, guest.clock)
        if placed is None:
            return RefusalReason.OUTSIDE_TIME
        counters = reading.numbers if isinstance(reading.numbers, DiskCounters) else None
        now = LastReading(reading.at_us, placed.ended_at_us, push.received_us, counters)
        key = guest.id, reading.agent, reading.kind, reading.disk
        disk = self.disks.get(key)
        if disk is None:
            return self._add(key, StoredDisk(*key, reading.identity, now))
        fault = order_fault(disk.last, reading.at_us, placed.ended_at_us, push.received_us)
        if fault is not None:
            return fault
        made = measure_interval(disk.last, reading.at_us, placed, reading.numbers, reading.step)
        disk.last, disk.identity = now, reading.identity
        self.changed[key] = disk
        if not isinstance(made, DiskInterval):
            return made
        disk.intervals.append(made)
        return None

    def _add(self, key: DiskKey, disk: StoredDisk) -> RefusalReason | None:
        if self.sizes[disk.guest_id] >= MOST_DISKS:
            return RefusalReason.TOO_MANY
        self.sizes[disk.guest_id] += 1
        self.disks[key] = self.changed[key] = disk
        return None


def _newest(readings: Sequence[DiskReading]) -> dict[str, int | None]:
    """The newest stamp of each guest; None where none of its lines has one."""
    found: dict[str, int | None] = {}
    for reading in readings:
        known = found.get(reading.guest.key)
        stamps = [at for at in (known, reading.at_us) if at is not None]
        found[reading.guest.key] = max(stamps, default=None)
    return found
