"""What the correlate step asks: how far the sources are, what changed behind it, which things there are, and their samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import RowMapping, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from gavel.db.copying import ColumnType, fetch
from gavel.db.engine import Connection
from gavel.db.queries.members import DATASTORE_DIRECTORY
from gavel.db.schema.imports import file_import
from gavel.db.schema.ledger import correlated, dirty_minute, ledger_minute, pod_mirroring, recalculated_minute
from gavel.db.schema.work import OF_CORRELATION, WorkKind, correlating, dirty_window
from gavel.db.series import packed
from gavel.db.series.catalog import LEDGER, SAMPLES
from gavel.domain.samples import COLUMNS
from gavel.domain.source import ATTRIBUTED, HOST_SOURCES, Stream


@dataclass(frozen=True, slots=True)
class Progress:
    """Samples of `stream` of a source are stored up to `until_at`, by its own clock; all that was to be expected, up to `complete_until`.

    complete_until: None where that is not known.
    """

    source_id: int
    stream: Stream
    until_at: datetime
    complete_until: datetime | None


@dataclass(frozen=True, slots=True)
class Change:
    """Samples of a source with stamps in [lo, hi] were written. source_id: None of what guests pushed; is_held: it was held back once."""

    id: int
    source_id: int | None
    lo: datetime
    hi: datetime
    is_held: bool = False


@dataclass(frozen=True, slots=True)
class LedgerProgress:
    """Minutes before `until_at` are written; up to `early_until_at` only what needs no source but `early_sources`."""

    until_at: datetime
    early_until_at: datetime | None
    early_sources: frozenset[int]


def load_progress(connection: Connection) -> LedgerProgress | None:
    """None before the first minute."""
    row = connection.execute(select(correlated)).one_or_none()
    return None if row is None else LedgerProgress(row.until_at, row.early_until_at, frozenset(row.early_sources or ()))


def save_progress(connection: Connection, new: LedgerProgress) -> None:
    values = {
        "until_at": new.until_at,
        "early_until_at": new.early_until_at,
        "early_sources": sorted(new.early_sources),
    }
    row = insert(correlated).values(values)
    connection.execute(row.on_conflict_do_update(index_elements=["singleton"], set_=values))


def progress(connection: Connection) -> tuple[Progress, ...]:
    """Of the streams that diagnoses are built from, of every enabled source that has been read."""
    rows = connection.execute(
        text(
            "SELECT w.source_id, w.stream, w.until_at, w.complete_until FROM watermark w JOIN source s ON s.id = w.source_id"
            " WHERE s.enabled AND w.stream = ANY(:streams) ORDER BY w.source_id, w.stream"
        ),
        {"streams": [str(stream) for stream in ATTRIBUTED]},
    )
    return tuple(Progress(row.source_id, Stream(row.stream), row.until_at, row.complete_until) for row in rows)


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


def changes(connection: Connection, held_until: datetime) -> tuple[Change, ...]:
    """Newest first. held_until: of what was held back, changes that end by then."""
    window = dirty_window.c
    is_held = window.kind == WorkKind.CORRELATE_LATE_GUESTS
    rows = connection.execute(
        select(window.id, window.source_id, window.lo, window.hi, is_held)
        .where(window.kind.in_(OF_CORRELATION), ~is_held | (window.hi <= held_until))
        .order_by(window.hi.desc())
    )
    return tuple(Change(*row) for row in rows)


def hold(connection: Connection, ids: Sequence[int], until: datetime) -> None:
    """Keep changes by guests, as far as whole minutes before `until` are concerned, for later: more of the kind may come."""
    ended = func.date_trunc("minute", dirty_window.c.hi) + timedelta(minutes=1)
    values = {"kind": WorkKind.CORRELATE_LATE_GUESTS, "hi": func.least(ended, until)}
    connection.execute(update(dirty_window).where(dirty_window.c.id.in_(ids)).values(values))


def note_change(connection: Connection, source_id: int, lo: datetime, hi: datetime) -> None:
    """What is made of a source's samples with stamps in [lo, hi] changed: their minutes are to be written again."""
    connection.execute(insert(dirty_window), correlating(source_id).of(lo, hi))


def settle(connection: Connection, ids: Sequence[int], minutes: Sequence[datetime], *, are_late: bool = False) -> None:
    """Forget changes; `minutes` are to be written again because of them. are_late: since samples arrived or changed."""
    connection.execute(delete(dirty_window).where(dirty_window.c.id.in_(ids)))
    if minutes:
        again = insert(dirty_minute)
        late = {"is_late": dirty_minute.c.is_late | again.excluded.is_late}
        values = [{"minute": minute, "is_late": are_late} for minute in minutes]
        connection.execute(again.on_conflict_do_update(index_elements=["minute"], set_=late), values)


def dirty_minutes(connection: Connection, limit: int, due_until: datetime) -> list[datetime]:
    """Newest first. due_until: of those that samples came to, minutes that begin before it; the others always."""
    is_due = ~dirty_minute.c.is_late | (dirty_minute.c.minute < due_until)
    newest = select(dirty_minute.c.minute).where(is_due).order_by(dirty_minute.c.minute.desc())
    return list(connection.scalars(newest.limit(limit)))


def held_minutes(connection: Connection, due_until: datetime) -> tuple[datetime, ...]:
    """Those that `dirty_minutes` leaves out."""
    held = dirty_minute.c.is_late & (dirty_minute.c.minute >= due_until)
    return tuple(connection.scalars(select(dirty_minute.c.minute).where(held).order_by(dirty_minute.c.minute)))


def forget_minutes(connection: Connection, before: datetime) -> None:
    """Minutes that begin before it are not to be written again."""
    connection.execute(delete(dirty_minute).where(dirty_minute.c.minute < before))


_RECALCULATED = text(f"""
    INSERT INTO recalculated_minute (minute, recalculated_at, times)
    SELECT d.minute, :now, 1 FROM dirty_minute d WHERE d.is_late AND d.minute BETWEEN :lo AND :hi AND d.minute < :settled
        AND d.minute IN (SELECT ts FROM {packed.rows(LEDGER, (), of="true")} l)
    ON CONFLICT (minute) DO UPDATE
        SET recalculated_at = excluded.recalculated_at, times = recalculated_minute.times + 1
""")


def note_recalculated(connection: Connection, lo: datetime, hi: datetime, *, settled: datetime, now: datetime) -> None:
    """Before minutes that begin in [lo, hi] are written: of those before `settled`, which were written already and have late samples."""
    connection.execute(_RECALCULATED, {"lo": lo, "hi": hi, "settled": settled, "now": now})


@dataclass(frozen=True, slots=True)
class Recalculated:
    """So many minutes of a range were recalculated since samples arrived or changed late, the newest time at `at`.

    has_earlier_rules: any of them was written by an earlier version of the rules. may_be_captured: captures have a say in some minutes,
    be they of this range or not.
    """

    minutes: int
    at: datetime | None
    has_earlier_rules: bool
    may_be_captured: bool


def recalculated(connection: Connection, from_at: datetime, to_at: datetime, rules: int) -> Recalculated:
    """Of the minutes that begin in [from, to)."""
    late, written = recalculated_minute.c, ledger_minute.c
    earlier = select(written.minute).where(written.minute >= from_at, written.minute < to_at, written.rules < rules)
    captured = select(file_import.c.id).where(file_import.c.narrows)
    within = select(func.count(), func.max(late.recalculated_at), earlier.exists(), captured.exists()).where(
        late.minute >= from_at, late.minute < to_at
    )
    return Recalculated(*connection.execute(within).one())


def note_minutes(connection: Connection, minutes: Sequence[datetime], rules: int, proof_id: int) -> None:
    """In the transaction that writes these minutes as a whole: by which version of the rules, and with which proofs."""
    values = {"rules": rules, "proof_id": proof_id}
    row = insert(ledger_minute).values([{"minute": minute, **values} for minute in minutes])
    newest = {name: row.excluded[name] for name in values}
    connection.execute(row.on_conflict_do_update(index_elements=["minute"], set_=newest))


def proofs_used(connection: Connection, minutes: Sequence[datetime], rules: int) -> Mapping[datetime, int]:
    """`counter_proof` of those of the minutes that this version of the rules wrote as a whole before."""
    one = ledger_minute.c
    query = select(one.minute, one.proof_id).where(
        one.minute.in_(minutes), one.rules == rules, one.proof_id.is_not(None)
    )
    return {row.minute: row.proof_id for row in connection.execute(query)}


def renew_minutes(connection: Connection, rules: int, since: datetime) -> int:
    """Once for each version of the rules: minutes from `since` on that an earlier one wrote are to be written again. Returns how many."""
    first = update(correlated).where(correlated.c.rules < rules).values(rules=rules)
    if connection.execute(first).rowcount == 0:
        return 0
    one = ledger_minute.c
    earlier = select(one.minute).where(one.rules < rules, one.minute >= since)
    again = insert(dirty_minute).from_select(["minute"], earlier).on_conflict_do_nothing()
    return connection.execute(again).rowcount


def is_renewed(connection: Connection, rules: int) -> bool:
    """Whether `renew_minutes` has nothing to do."""
    return connection.scalar(select(correlated.c.rules).where(correlated.c.rules < rules)) is None


def renewals(connection: Connection, minutes: Sequence[datetime]) -> frozenset[datetime]:
    """Those of the minutes to be written that were written as a whole before, and have no late samples: nothing in them is news."""
    query = select(dirty_minute.c.minute).join(ledger_minute, ledger_minute.c.minute == dirty_minute.c.minute)
    known = query.where(~dirty_minute.c.is_late, dirty_minute.c.minute.in_(minutes))
    return frozenset(connection.scalars(known))


def clean(connection: Connection, minutes: Sequence[datetime]) -> None:
    connection.execute(delete(dirty_minute).where(dirty_minute.c.minute.in_(minutes)))


def mirrored_on_both(connection: Connection) -> Mapping[str, bool]:
    """By pod key, what was found out so far."""
    return {row.pod_key: row.counted_on_both for row in connection.execute(select(pod_mirroring))}


def note_mirroring(
    connection: Connection, pod_key: str, *, counted_on_both: bool, ratio: float, ops: float, now: datetime
) -> None:
    values = {"counted_on_both": counted_on_both, "ratio": ratio, "ops": ops, "decided_at": now}
    row = insert(pod_mirroring).values(pod_key=pod_key, **values)
    connection.execute(row.on_conflict_do_update(index_elements=["pod_key"], set_=values))


def hold_samples(connection: Connection) -> None:
    """Call it first in a snapshot: maintenance swaps a partition for a copy in key order, or packs it, whose rows an older snapshot would
    not see."""
    tables = ", ".join(f"{stream}_sample" for stream in (*ATTRIBUTED, Stream.GUEST_DISK))
    connection.execute(text(f"LOCK TABLE {tables} IN ACCESS SHARE MODE"))


def samples(
    connection: Connection, stream: Stream, after: datetime, until: datetime
) -> dict[str, npt.NDArray[np.int64]]:
    """Every sample of a stream with a stamp in (after, until], ordered by entity and stamp: ts (µs), entity_id, interval_s, COLUMNS."""
    columns: dict[str, ColumnType] = {"ts": "us", "entity_id": "i8", "interval_s": "i8"}
    columns |= dict.fromkeys(COLUMNS[stream], "i8")
    names = [name for name in columns if name not in ("ts", "entity_id")]
    rows = packed.rows(
        SAMPLES[stream], names, of="true", lo="CAST(:after AS timestamptz)", hi="CAST(:until AS timestamptz)"
    )
    sql = f"SELECT {', '.join(columns)} FROM {rows} s WHERE ts > :after ORDER BY entity_id, ts"
    return fetch(connection, sql, {"after": after, "until": until}, columns)


# A guest keeps one row per token. After its token was replaced, samples of the former one count up to the first push with the newer one.
# With a revoked token they count only where no valid one ever pushed the same virtual disk.
_MATCHED = """
    SELECT d.id, d.vm_disk_id, coalesce(g.offset_us, 0) AS offset_us, g.token_id,
        coalesce((extract(epoch FROM least(t.revoked_at, newer.first_seen_at)) * 1000000)::bigint, 9223372036854775807) AS until_us
    FROM guest_disk d JOIN guest g ON g.id = d.guest_id JOIN guest_token t ON t.id = g.token_id
    LEFT JOIN LATERAL (
        SELECT min(o.first_seen_at) AS first_seen_at
        FROM guest_disk o JOIN guest og ON og.id = o.guest_id JOIN guest_token ot ON ot.id = og.token_id AND ot.revoked_at IS NULL
        WHERE o.vm_disk_id = d.vm_disk_id AND o.kind = 'disk' AND ot.id <> t.id AND (t.revoked_at IS NOT NULL OR ot.id > t.id)
    ) newer ON true
    WHERE d.vm_disk_id IS NOT NULL AND d.kind = 'disk' ORDER BY d.id
"""


def matched_disks(connection: Connection) -> dict[str, npt.NDArray[np.int64]]:
    """Whole disks of guests whose virtual disk is known, in order of id, with the smallest delay that was seen of their guest.

    until_us: last µs since 1970 by Gavel's clock at which samples of the disk count.
    """
    columns: dict[str, ColumnType] = dict.fromkeys(("id", "vm_disk_id", "offset_us", "token_id", "until_us"), "i8")
    return fetch(connection, _MATCHED, {}, columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class InventoryRows:
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
    "sources": "SELECT id FROM source WHERE kind = ANY(:host_kinds) ORDER BY id",
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


def things(connection: Connection, since: datetime, until: datetime) -> InventoryRows:
    """The environment as of (since, until], from the inventory that is newest now."""
    limits = {"since": since, "until": until, "host_kinds": list(HOST_SOURCES)}
    found: dict[str, Any] = {
        name: connection.execute(text(query), limits).mappings().all() for name, query in _QUERIES.items()
    }
    return InventoryRows(**found)


def directory_arrays(connection: Connection) -> Mapping[int, int]:
    """Source of every directory."""
    return {row.id: row.source_id for row in connection.execute(text(_DIRECTORY_SOURCES))}


def environment_stamp(connection: Connection, since: datetime, until: datetime) -> tuple[object, ...]:
    """Equal stamps mean equal `things`: when each inventory was read, and how many VMs had moved by then."""
    moves = connection.execute(
        text(
            "SELECT count(*) FILTER (WHERE valid_from <= :since), count(*) FILTER (WHERE valid_from <= :until),"
            " count(*) FILTER (WHERE valid_to <= :since) FROM vm_placement"
        ),
        {"since": since, "until": until},
    ).one()
    return (*inventory_stamp(connection), tuple(moves))


def inventory_stamp(connection: Connection) -> tuple[object, ...]:
    """Equal stamps mean the same sources with equal inventories, as of now."""
    read = connection.execute(text("SELECT id, inventory_at, inventory_revision, enabled FROM source ORDER BY id"))
    return tuple(tuple(row) for row in read)
