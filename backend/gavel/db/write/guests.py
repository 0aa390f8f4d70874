"""The store's side of a push: guests and their disks with the newest reading of each, the intervals made from them, and refused lines.

A batch is loaded, worked through in memory (`ingest.guests`) and saved, in a constant number of statements however many guests it has.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np
from sqlalchemy import Connection, RowMapping, insert, text

from gavel.db.copying import Field
from gavel.db.locks import wait_for_lock
from gavel.db.schema.work import CORRELATING_GUESTS, dirty_window
from gavel.db.series import modes
from gavel.db.series.catalog import SAMPLES
from gavel.db.series.room import instant, make_room, note_rows
from gavel.db.write.samples import merge
from gavel.domain.guest_intervals import DiskInterval, GuestClock, LastReading
from gavel.domain.guests import DiskCounters, DiskIdentity, GuestAgent, GuestDiskKind, GuestIdentity, RefusalReason
from gavel.domain.source import Stream

GuestKey: TypeAlias = tuple[int, str]  # id of the token, key of the guest
DiskKey: TypeAlias = tuple[int, GuestAgent, GuestDiskKind, str]  # id of the guest, agent, kind, name


@dataclass(slots=True)
class StoredGuest:
    """With its clock as it was measured so far."""

    id: int
    clock: GuestClock | None


@dataclass(slots=True)
class StoredDisk:
    """intervals: made now, to be saved. last: its newest reading that was taken. is_matched: its virtual disk is known."""

    guest_id: int
    agent: GuestAgent
    kind: GuestDiskKind
    disk: str
    identity: DiskIdentity
    last: LastReading
    is_matched: bool = False
    intervals: list[DiskInterval] = field(default_factory=list)

    @property
    def key(self) -> DiskKey:
        return self.guest_id, self.agent, self.kind, self.disk


def lock_guests(connection: Connection) -> None:
    """Until the transaction ends, no other one stores what guests push."""
    wait_for_lock(connection, "guests")


_SAVE_GUESTS = text("""
    INSERT INTO guest (token_id, key, host_name, bios_uuid, addresses, peer, first_seen_at, last_seen_at)
    SELECT token_id, key, host_name, bios_uuid, addresses, peer, :now, :now FROM jsonb_to_recordset(CAST(:rows AS jsonb))
        AS r(token_id int, key text, host_name text, bios_uuid text, addresses text[], peer text)
    ON CONFLICT (token_id, key) DO UPDATE SET host_name = excluded.host_name, addresses = excluded.addresses,
        peer = excluded.peer, last_seen_at = excluded.last_seen_at
    RETURNING id, token_id, key, offset_us, window_from_us, window_offset_us
""")


def save_guests(
    connection: Connection, seen: Mapping[GuestKey, tuple[GuestIdentity, str]], now: datetime
) -> dict[GuestKey, StoredGuest]:
    """seen: identity and address of each guest of a batch."""
    rows = [
        {
            "token_id": token_id,
            "key": key,
            "host_name": identity.host_name,
            "bios_uuid": identity.bios_uuid,
            "addresses": list(identity.addresses),
            "peer": peer,
        }
        for (token_id, key), (identity, peer) in seen.items()
    ]
    found: dict[GuestKey, StoredGuest] = {}
    for row in connection.execute(_SAVE_GUESTS, {"rows": json.dumps(rows), "now": now}):
        clock = None
        if row.offset_us is not None:
            clock = GuestClock(row.offset_us, row.window_from_us, row.window_offset_us)
        found[row.token_id, row.key] = StoredGuest(row.id, clock)
    return found


_KNOWN = text("""
    SELECT g.token_id, g.key FROM guest g
    JOIN jsonb_to_recordset(CAST(:rows AS jsonb)) AS r(token_id int, key text) ON r.token_id = g.token_id AND r.key = g.key
""")
_COUNT = text("SELECT token_id, count(*) AS guests FROM guest WHERE token_id = ANY(CAST(:tokens AS int[])) GROUP BY 1")


def new_guests(connection: Connection, keys: Iterable[GuestKey]) -> tuple[set[GuestKey], Mapping[int, int]]:
    """Those of the guests that were never seen, and how many guests each of their tokens has."""
    wanted = set(keys)
    rows = json.dumps([{"token_id": token_id, "key": key} for token_id, key in wanted])
    unseen = wanted - {(row.token_id, row.key) for row in connection.execute(_KNOWN, {"rows": rows})}
    if not unseen:
        return unseen, {}
    tokens = sorted({token_id for token_id, _ in unseen})
    return unseen, {row.token_id: row.guests for row in connection.execute(_COUNT, {"tokens": tokens})}


_DISKS = text("SELECT * FROM guest_disk WHERE guest_id = ANY(CAST(:guests AS int[]))")


def load_disks(connection: Connection, guests: Sequence[int]) -> dict[DiskKey, StoredDisk]:
    """Every disk of these guests."""
    rows = connection.execute(_DISKS, {"guests": list(guests)}).mappings()
    return {disk.key: disk for disk in map(_disk, rows)}


def _disk(row: RowMapping) -> StoredDisk:
    counters = None if row["counters"] is None else DiskCounters(**row["counters"])
    return StoredDisk(
        row["guest_id"],
        GuestAgent(row["agent"]),
        GuestDiskKind(row["kind"]),
        row["disk"],
        DiskIdentity(
            row["serial"],
            row["tools_name"],
            row["scsi_address"],
            row["capacity_bytes"],
            row["drives"],
            row["path"],
        ),
        LastReading(row["raw_at_us"], row["ended_at_us"], row["received_us"], counters),
        is_matched=row["vm_disk_id"] is not None,
    )


_SAVE_DISKS = text("""
    INSERT INTO guest_disk (guest_id, agent, kind, disk, serial, tools_name, scsi_address, capacity_bytes, drives, path, first_seen_at,
        last_seen_at, raw_at_us, ended_at_us, received_us, counters, intervals)
    SELECT guest_id, agent, kind, disk, serial, tools_name, scsi_address, capacity_bytes, drives, path, :now, :now,
        raw_at_us, ended_at_us, received_us, counters, intervals
    FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r(guest_id int, agent text, kind text, disk text, serial text, tools_name text,
        scsi_address text, capacity_bytes bigint, drives text, path text, raw_at_us bigint,
        ended_at_us bigint, received_us bigint, counters jsonb, intervals bigint)
    ON CONFLICT (guest_id, agent, kind, disk) DO UPDATE SET serial = excluded.serial, tools_name = excluded.tools_name,
        scsi_address = excluded.scsi_address, capacity_bytes = excluded.capacity_bytes,
        drives = excluded.drives, path = excluded.path, last_seen_at = excluded.last_seen_at,
        raw_at_us = excluded.raw_at_us, ended_at_us = excluded.ended_at_us, received_us = excluded.received_us,
        counters = excluded.counters, intervals = guest_disk.intervals + excluded.intervals
    RETURNING id, guest_id, agent, kind, disk
""")


def save_disks(connection: Connection, disks: Sequence[StoredDisk], now: datetime) -> int:
    """With their newest readings, and the intervals that were made. Returns how many of these."""
    if not disks:
        return 0
    rows = json.dumps([_row(disk) for disk in disks])
    ids = {
        (row.guest_id, GuestAgent(row.agent), GuestDiskKind(row.kind), row.disk): row.id
        for row in connection.execute(_SAVE_DISKS, {"rows": rows, "now": now})
    }
    made = [(ids[disk.key], interval) for disk in disks for interval in disk.intervals]
    if made:
        _save_intervals(connection, made)
    return len(made)


def _row(disk: StoredDisk) -> dict[str, Any]:
    counters = None if disk.last.counters is None else asdict(disk.last.counters)
    return {
        "guest_id": disk.guest_id,
        "agent": disk.agent,
        "kind": disk.kind,
        "disk": disk.disk,
        **asdict(disk.identity),
        "raw_at_us": disk.last.raw_at_us,
        "ended_at_us": disk.last.ended_at_us,
        "received_us": disk.last.received_us,
        "counters": counters,
        "intervals": len(disk.intervals),
    }


_RAW = SAMPLES[Stream.GUEST_DISK]
_FIELDS = tuple(Field(name, sql_type.removesuffix(" NOT NULL")) for name, sql_type in _RAW.columns.items())
_NUMBERS = tuple(field.name for field in _FIELDS if field.name not in ("ts", "entity_id", "interval_s"))


def _save_intervals(connection: Connection, made: Sequence[tuple[int, DiskInterval]]) -> None:
    columns = {
        "ts": np.array([interval.ended_at_us for _, interval in made], dtype=np.int64),
        "entity_id": np.array([disk_id for disk_id, _ in made], dtype=np.int64),
        "interval_s": np.array([interval.interval_s for _, interval in made], dtype=np.int64),
    }
    columns |= {name: np.array([interval.values[name] for _, interval in made], dtype=np.int64) for name in _NUMBERS}
    mode = modes.stored(connection)
    make_room(connection, mode, _RAW, columns["ts"])
    touched = merge(connection, _RAW, _FIELDS, columns).touched_us
    if touched:
        note_rows(connection, mode, _RAW, *touched)


def note_intervals(connection: Connection, windows: Sequence[tuple[int, int]]) -> None:
    """windows: first and last µs since 1970 by Gavel's clock that guests have new samples of: their minutes are attributed (again)."""
    if windows:
        notes = [CORRELATING_GUESTS.of(instant(lo), instant(hi)) for lo, hi in windows]
        connection.execute(insert(dirty_window), notes)


_CLOCKS = text("""
    UPDATE guest SET offset_us = r.offset_us, window_from_us = r.window_from_us, window_offset_us = r.window_offset_us
    FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r(id int, offset_us bigint, window_from_us bigint, window_offset_us bigint)
    WHERE guest.id = r.id
""")


def save_clocks(connection: Connection, guests: Iterable[StoredGuest]) -> None:
    rows = [{"id": guest.id, **asdict(guest.clock)} for guest in guests if guest.clock is not None]
    if rows:
        connection.execute(_CLOCKS, {"rows": json.dumps(rows)})


_REFUSED = text("""
    INSERT INTO guest_refusal (token_id, reason, lines, detail, last_at)
    SELECT token_id, reason, lines, detail, :now FROM jsonb_to_recordset(CAST(:rows AS jsonb))
        AS r(token_id int, reason text, lines bigint, detail text)
    ON CONFLICT (token_id, reason) DO UPDATE SET lines = guest_refusal.lines + excluded.lines, detail = excluded.detail,
        last_at = excluded.last_at
""")


def save_refusals(
    connection: Connection, refused: Mapping[tuple[int, RefusalReason], tuple[int, str]], now: datetime
) -> None:
    """By token and reason: how many lines more, and the newest in words."""
    if refused:
        rows = [
            {"token_id": token_id, "reason": reason, "lines": lines, "detail": detail}
            for (token_id, reason), (lines, detail) in sorted(refused.items())
        ]
        connection.execute(_REFUSED, {"rows": json.dumps(rows), "now": now})


def note_token_use(connection: Connection, tokens: Iterable[int], now: datetime) -> None:
    connection.execute(
        text("UPDATE guest_token SET used_at = :now WHERE id = ANY(CAST(:ids AS int[]))"),
        {"ids": sorted(set(tokens)), "now": now},
    )
