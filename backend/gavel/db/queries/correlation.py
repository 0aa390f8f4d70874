"""What the correlate step asks: how far the sources are, what changed behind it, which things there are, and their samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import RowMapping, delete, select, text
from sqlalchemy.dialects.postgresql import insert

from gavel.db.arrays_out import ColumnType, fetch
from gavel.db.engine import Connection
from gavel.db.queries.members import DATASTORE_DIRECTORY
from gavel.db.samples import CORRELATE
from gavel.db.tables.bookkeeping import dirty_window
from gavel.db.tables.ledger import correlated, counter_evidence, dirty_minute, pod_mirroring
from gavel.domain.samples import COLUMNS
from gavel.domain.source import SourceKind, Stream

# What a verdict is built from; a source that does not have one of them yet is waited for.
STREAMS = (Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ARRAY_VOLUME, Stream.ARRAY_DIRECTORY)


@dataclass(frozen=True, slots=True)
class Progress:
    """Samples of `stream` of a source are stored up to `until_at`, by its own clock."""

    source_id: int
    stream: Stream
    until_at: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """Samples of a source with stamps in [lo, hi] were written."""

    id: int
    source_id: int
    lo: datetime
    hi: datetime


@dataclass(frozen=True, slots=True)
class Clock:
    """One reading. `subject` null is the source itself, else an ESXi host; how far its clock ran ahead, true within `error_s`."""

    source_id: int
    subject: str | None
    read_at: datetime
    offset_s: float
    error_s: float


@dataclass(frozen=True, slots=True)
class Stand:
    """Minutes before `until_at` are written; up to `early_until_at` only what needs no source but `early_sources`."""

    until_at: datetime
    early_until_at: datetime | None
    early_sources: frozenset[int]


def stand(connection: Connection) -> Stand | None:
    """None before the first minute."""
    row = connection.execute(select(correlated)).one_or_none()
    return None if row is None else Stand(row.until_at, row.early_until_at, frozenset(row.early_sources or ()))


def stand_at(connection: Connection, new: Stand) -> None:
    values = {
        "until_at": new.until_at,
        "early_until_at": new.early_until_at,
        "early_sources": sorted(new.early_sources),
    }
    row = insert(correlated).values(values)
    connection.execute(row.on_conflict_do_update(index_elements=["singleton"], set_=values))


def progress(connection: Connection) -> tuple[Progress, ...]:
    """Of the streams that verdicts are built from, of every enabled source that has been read."""
    rows = connection.execute(
        text(
            "SELECT w.source_id, w.stream, w.until_at FROM watermark w JOIN source s ON s.id = w.source_id"
            " WHERE s.enabled AND w.stream = ANY(:streams)"
        ),
        {"streams": [str(stream) for stream in STREAMS]},
    )
    return tuple(Progress(row.source_id, Stream(row.stream), row.until_at) for row in rows)


def expected_streams(connection: Connection) -> Mapping[int, frozenset[Stream]]:
    """Which of them each enabled source owes, by its inventory: no disks, no directories, nothing to wait for."""
    rows = connection.execute(
        text(
            "SELECT s.id, s.kind, EXISTS (SELECT FROM host_device d WHERE d.source_id = s.id AND d.present) AS devices,"
            " EXISTS (SELECT FROM vm_disk k WHERE k.source_id = s.id AND k.present) AS disks,"
            " EXISTS (SELECT FROM volume v WHERE v.source_id = s.id AND v.present) AS volumes,"
            " EXISTS (SELECT FROM array_directory d WHERE d.source_id = s.id AND d.present) AS directories"
            " FROM source s WHERE s.enabled"
        )
    ).mappings()
    return {row["id"]: _owed(row) for row in rows}


def _owed(row: RowMapping) -> frozenset[Stream]:
    found = (
        (Stream.HOST_DEVICE, row["devices"]),
        (Stream.VM_DISK, row["disks"]),
        (Stream.ARRAY_VOLUME, row["volumes"]),
        (Stream.ARRAY_DIRECTORY, row["directories"]),
    )
    return frozenset(stream for stream, there in found if there)


def changes(connection: Connection) -> tuple[Change, ...]:
    """Newest first."""
    window = dirty_window.c
    rows = connection.execute(
        select(window.id, window.task, window.lo, window.hi)
        .where(window.task.like(f"{CORRELATE}%"))
        .order_by(window.hi.desc())
    )
    return tuple(Change(row.id, int(row.task.removeprefix(CORRELATE)), row.lo, row.hi) for row in rows)


def settle(connection: Connection, ids: Sequence[int], minutes: Sequence[datetime]) -> None:
    """Forget changes; `minutes` are to be written again because of them."""
    connection.execute(delete(dirty_window).where(dirty_window.c.id.in_(ids)))
    if minutes:
        again = insert(dirty_minute).on_conflict_do_nothing()
        connection.execute(again, [{"minute": minute} for minute in minutes])


def dirty_minutes(connection: Connection, limit: int) -> list[datetime]:
    """Newest first."""
    return list(connection.scalars(select(dirty_minute.c.minute).order_by(dirty_minute.c.minute.desc()).limit(limit)))


def clean(connection: Connection, minutes: Sequence[datetime]) -> None:
    connection.execute(delete(dirty_minute).where(dirty_minute.c.minute.in_(minutes)))


_CLOCKS = """
    WITH subjects AS (
        SELECT id AS source_id, NULL::text AS subject FROM source
        UNION ALL SELECT source_id, key FROM esxi_host WHERE present OR last_seen_at >= :since)
    SELECT source_id, subject, read_at, offset_s, error_s FROM clock_offset WHERE read_at > :since AND read_at <= :until
    UNION ALL SELECT c.* FROM subjects s CROSS JOIN LATERAL (
        SELECT source_id, subject, read_at, offset_s, error_s FROM clock_offset c
        WHERE c.source_id = s.source_id AND c.read_at {side}
          AND (c.subject = s.subject OR (c.subject IS NULL AND s.subject IS NULL))
        ORDER BY c.read_at {order} LIMIT 1) c
"""


def clocks(connection: Connection, since: datetime, until: datetime) -> tuple[Clock, ...]:
    """Readings in (since, until], and of every clock the newest one before; of those that were first read later, that one."""
    limits = {"since": since, "until": until}
    before = connection.execute(text(_CLOCKS.format(side="<= :since", order="DESC")), limits).all()
    after = connection.execute(text(_CLOCKS.format(side="> :until", order="ASC")), limits).all()
    known = {(row.source_id, row.subject) for row in before}
    rows = [*before, *(row for row in after if (row.source_id, row.subject) not in known)]
    return tuple(Clock(*row) for row in rows)


def mirrored_on_both(connection: Connection) -> Mapping[str, bool]:
    """By pod key, what was found out so far."""
    return {row.pod_key: row.counted_on_both for row in connection.execute(select(pod_mirroring))}


def note_mirroring(
    connection: Connection, pod_key: str, *, both: bool, ratio: float, ops: float, now: datetime
) -> None:
    values = {"counted_on_both": both, "ratio": ratio, "ops": ops, "decided_at": now}
    row = insert(pod_mirroring).values(pod_key=pod_key, **values)
    connection.execute(row.on_conflict_do_update(index_elements=["pod_key"], set_=values))


_BUILDS = "SELECT source_id, build FROM vcenter WHERE present"


@dataclass(frozen=True, slots=True)
class Shown:
    """Rows that only rounding (a mean) explains, and rows that only truncation (an instant) does."""

    rounds_or_mean: int
    truncates_or_instant: int


def shown_of_counters(connection: Connection) -> Mapping[tuple[int, str], Shown]:
    """By vCenter and counter, of the build that it runs."""
    rows = connection.execute(text(f"SELECT e.* FROM counter_evidence e JOIN ({_BUILDS}) b USING (source_id, build)"))
    return {(row.source_id, row.counter): Shown(row.rounds_or_mean, row.truncates_or_instant) for row in rows}


def note_counters(connection: Connection, more: Mapping[tuple[int, str], Shown], now: datetime) -> None:
    """Add to what was shown before."""
    builds = {row.source_id: row.build for row in connection.execute(text(_BUILDS))}
    values = [
        {"source_id": source, "build": builds[source], "counter": counter, "noted_at": now}
        | {"rounds_or_mean": shown.rounds_or_mean, "truncates_or_instant": shown.truncates_or_instant}
        for (source, counter), shown in more.items()
        if source in builds
    ]
    if not values:
        return
    row, stored = insert(counter_evidence), counter_evidence.c
    added = {name: stored[name] + row.excluded[name] for name in ("rounds_or_mean", "truncates_or_instant")}
    key = ["source_id", "build", "counter"]
    connection.execute(row.on_conflict_do_update(index_elements=key, set_=added | {"noted_at": now}), values)


def hold_samples(connection: Connection) -> None:
    """Call it first in a snapshot: maintenance swaps a partition for a copy in key order, whose rows an older snapshot would not see."""
    tables = ", ".join(f"{stream}_sample" for stream in STREAMS)
    connection.execute(text(f"LOCK TABLE {tables} IN ACCESS SHARE MODE"))


def samples(
    connection: Connection, stream: Stream, after: datetime, until: datetime
) -> dict[str, npt.NDArray[np.int64]]:
    """Every sample of a stream with a stamp in (after, until], ordered by entity and stamp: ts (µs), entity_id, interval_s, COLUMNS."""
    columns: dict[str, ColumnType] = {"ts": "us", "entity_id": "i8", "interval_s": "i8"}
    columns |= dict.fromkeys(COLUMNS[stream], "i8")
    sql = f"SELECT {', '.join(columns)} FROM {stream}_sample WHERE ts > :after AND ts <= :until ORDER BY entity_id, ts"
    return fetch(connection, sql, {"after": after, "until": until}, columns)


@dataclass(frozen=True, slots=True)
class Things:
    """Rows of what exists or did at the time in question; every list in order of id."""

    sources: Sequence[Mapping[str, Any]]
    hosts: Sequence[Mapping[str, Any]]
    devices: Sequence[Mapping[str, Any]]
    volumes: Sequence[Mapping[str, Any]]
    arrays: Sequence[Mapping[str, Any]]
    datastores: Sequence[Mapping[str, Any]]
    disks: Sequence[Mapping[str, Any]]
    extents: Sequence[Mapping[str, Any]]
    directories: Sequence[Mapping[str, Any]]
    placements: Sequence[Mapping[str, Any]]


_HERE = "(present OR last_seen_at >= :since)"
_QUERIES = {
    "sources": f"SELECT id FROM source WHERE kind = '{SourceKind.VCENTER}' ORDER BY id",
    "hosts": f"SELECT id, source_id, key, cluster_id FROM esxi_host WHERE {_HERE} ORDER BY id",
    "devices": (
        "SELECT id, source_id, host_id, canonical_name, volume_serial, queue_depth, is_protocol_endpoint"
        f" FROM host_device WHERE {_HERE} ORDER BY id"
    ),
    "volumes": (
        "SELECT v.id, v.source_id, v.serial, v.vvol_id, v.is_protocol_endpoint, p.key AS pod_key, p.array_count"
        " FROM volume v LEFT JOIN pod p ON p.id = v.pod_id WHERE (v.present OR v.last_seen_at >= :since) ORDER BY v.id"
    ),
    "arrays": f"SELECT id, source_id FROM storage_array WHERE {_HERE} ORDER BY id",
    "datastores": f"SELECT id, type FROM datastore WHERE {_HERE} ORDER BY id",
    "disks": (
        "SELECT k.id, k.source_id, k.vm_id, k.datastore_id, k.controller_type, k.device_name, k.vvol_id, m.host_id"
        " FROM vm_disk k JOIN vm m ON m.id = k.vm_id WHERE (k.present OR k.last_seen_at >= :since) ORDER BY k.id"
    ),
    "extents": "SELECT datastore_id, canonical_name FROM datastore_extent ORDER BY 1, position",
    "directories": f"SELECT subject_id AS datastore_id, entity_id AS directory_id FROM ({DATASTORE_DIRECTORY}) d ORDER BY 1, 2",
    # Before it was first seen anywhere, a VM is taken to have been there, wherever it is now.
    "placements": """
        SELECT vm_id, host_id, valid_from FROM vm_placement
        WHERE valid_from <= :until AND (valid_to IS NULL OR valid_to > :since)
        UNION ALL SELECT vm_id, host_id, valid_from FROM vm_placement p WHERE valid_from > :until
            AND NOT EXISTS (SELECT FROM vm_placement e WHERE e.vm_id = p.vm_id AND e.valid_from < p.valid_from)
        ORDER BY vm_id, valid_from
    """,
}
_DIRECTORY_SOURCES = "SELECT id, source_id FROM array_directory ORDER BY id"


def things(connection: Connection, since: datetime, until: datetime) -> Things:
    """The estate as of (since, until], from the inventory that is newest now."""
    limits = {"since": since, "until": until}
    found: dict[str, Any] = {
        name: connection.execute(text(query), limits).mappings().all() for name, query in _QUERIES.items()
    }
    return Things(**found)


def directory_arrays(connection: Connection) -> Mapping[int, int]:
    """Source of every directory."""
    return {row.id: row.source_id for row in connection.execute(text(_DIRECTORY_SOURCES))}


def estate_stamp(connection: Connection, since: datetime, until: datetime) -> tuple[object, ...]:
    """Equal stamps mean equal `things`: when each inventory was read, and how many VMs had moved by then."""
    read = connection.execute(
        text("SELECT id, inventory_at, inventory_revision, enabled FROM source ORDER BY id")
    ).all()
    moves = connection.execute(
        text(
            "SELECT count(*) FILTER (WHERE valid_from <= :since), count(*) FILTER (WHERE valid_from <= :until),"
            " count(*) FILTER (WHERE valid_to <= :since) FROM vm_placement"
        ),
        {"since": since, "until": until},
    ).one()
    return (*(tuple(row) for row in read), tuple(moves))
