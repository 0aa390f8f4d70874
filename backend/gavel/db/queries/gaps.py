"""Gaps: every missing interval with its reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, select, text, update
from sqlalchemy.dialects.postgresql import insert

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.schema.bookkeeping import backfill_slice, gap, source
from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.source import SourceKind, Stream


class GapState(StrEnum):
    PENDING_BACKFILL = "pending_backfill"  # the source may still have it
    EXPLAINED = "explained"  # final: nobody has it, and `reason` says why
    RECOVERED = "recovered"  # filled since; kept as history


@dataclass(frozen=True, slots=True)
class Gap:
    """(from_at, to_at] by the source's clock. `entity_key` None: the whole stream."""

    id: int
    source_id: int
    stream: Stream
    entity_key: str | None
    from_at: datetime
    to_at: datetime
    reason: str
    state: GapState
    noticed_at: datetime
    resolved_at: datetime | None


@dataclass(frozen=True, slots=True)
class SourceGap:
    """A gap with the kind and name of its source."""

    gap: Gap
    source_kind: SourceKind
    source_name: str


def note_gap(
    connection: Connection,
    source_id: int,
    stream: Stream,
    from_at: datetime,
    to_at: datetime,
    *,
    reason: str,
    now: datetime,
    state: GapState = GapState.PENDING_BACKFILL,
    entity_key: str | None = None,
) -> int:
    """Its id; noting the same interval again changes nothing."""
    key = {"source_id": source_id, "stream": stream, "entity_key": entity_key, "from_at": from_at, "to_at": to_at}
    resolved_at = None if state is GapState.PENDING_BACKFILL else now
    row = insert(gap).values(**key, reason=reason, state=state, noticed_at=now, resolved_at=resolved_at)
    noted: int | None = connection.scalar(row.on_conflict_do_nothing().returning(gap.c.id))
    if noted is not None:
        return noted
    same = [gap.c[name].is_not_distinct_from(value) for name, value in key.items()]
    known: int = connection.execute(select(gap.c.id).where(*same)).scalar_one()
    return known


def settle_gap(
    connection: Connection, gap_id: int, state: GapState, now: datetime, *, reason: str | None = None
) -> None:
    """Recovered or explained, with the final reason when it differs. Raises NotFoundError."""
    changes = {"state": state, "resolved_at": now} | ({} if reason is None else {"reason": reason})
    _change(connection, gap_id, changes)


def narrow_gap(connection: Connection, gap_id: int, from_at: datetime, to_at: datetime) -> None:
    """A part was filled: what is left of the gap. Raises NotFoundError."""
    _change(connection, gap_id, {"from_at": from_at, "to_at": to_at})


def pending_gaps(connection: Connection, source_id: int, stream: Stream | None = None) -> tuple[Gap, ...]:
    """Newest first: the order of backfill."""
    pending = select(gap).where(gap.c.source_id == source_id, gap.c.state == GapState.PENDING_BACKFILL)
    if stream is not None:
        pending = pending.where(gap.c.stream == stream)
    return _gaps(connection, pending.order_by(gap.c.to_at.desc(), gap.c.id))


def sources_behind(connection: Connection) -> frozenset[int]:
    """Those with gaps to be read."""
    pending = select(gap.c.source_id).where(gap.c.state == GapState.PENDING_BACKFILL).distinct()
    return frozenset(connection.scalars(pending))


def gaps(connection: Connection, source_ids: tuple[int, ...], from_at: datetime, to_at: datetime) -> tuple[Gap, ...]:
    """All that overlap the range and are not recovered, oldest first."""
    return _gaps(connection, _during(select(gap), source_ids, from_at, to_at))


def gaps_of_sources(
    connection: Connection, source_ids: Sequence[int], from_at: datetime, to_at: datetime
) -> tuple[SourceGap, ...]:
    """The same, with their sources."""
    named = select(gap, source.c.kind.label("source_kind"), source.c.name.label("source_name"))
    query = _during(named.join_from(gap, source, source.c.id == gap.c.source_id), source_ids, from_at, to_at)
    rows = (dict(row) for row in connection.execute(query).mappings())
    return tuple(
        SourceGap(source_kind=SourceKind(row.pop("source_kind")), source_name=row.pop("source_name"), gap=_gap(row))
        for row in rows
    )


def _during(
    query: Select[tuple[object, ...]], source_ids: Sequence[int], from_at: datetime, to_at: datetime
) -> Select[tuple[object, ...]]:
    overlap = gap.c.from_at < to_at, gap.c.to_at > from_at
    open_ones = query.where(gap.c.source_id.in_(source_ids), *overlap, gap.c.state != GapState.RECOVERED)
    return open_ones.order_by(gap.c.from_at, gap.c.id)


def slice_s(connection: Connection, source_id: int, stream: Stream) -> int | None:
    """Seconds of the stream's history to ask for at a time; None: as much as its plan has."""
    one = backfill_slice.c
    found: int | None = connection.scalar(select(one.slice_s).where(one.source_id == source_id, one.stream == stream))
    return found


def keep_slice(connection: Connection, source_id: int, stream: Stream, seconds: int) -> None:
    """What the next reads ask for at a time. A source that is gone needs none."""
    values = {"source_id": source_id, "stream": stream, "slice_s": seconds}
    known = select(source.c.id).where(source.c.id == source_id).with_for_update(key_share=True)
    if connection.scalar(known) is not None:
        row = insert(backfill_slice).values(values)
        connection.execute(
            row.on_conflict_do_update(index_elements=["source_id", "stream"], set_={"slice_s": row.excluded.slice_s})
        )


def _change(connection: Connection, gap_id: int, changes: dict[str, object]) -> None:
    if connection.execute(update(gap).where(gap.c.id == gap_id).values(changes)).rowcount == 0:
        raise NotFoundError(f"There is no gap {gap_id}.")


def _gaps(connection: Connection, query: Select[tuple[object, ...]]) -> tuple[Gap, ...]:
    return tuple(_gap(dict(row)) for row in connection.execute(query).mappings())


def _gap(row: dict[str, Any]) -> Gap:
    return Gap(**row | {"stream": Stream(row["stream"]), "state": GapState(row["state"])})


@dataclass(frozen=True, slots=True)
class Hole:
    """(from_at, to_at] without samples of one reporter: an ESXi host, a VM, or the whole array (None)."""

    reporter: str | None
    from_at: datetime
    to_at: datetime


# Per stream: the reporters that should be heard now as (key, first_seen_at), and how a sample's entity leads to its reporter.
_HOSTS = (
    "SELECT key, first_seen_at FROM esxi_host WHERE source_id = :source_id AND present AND connection_state = 'connected' "
    "AND EXISTS (SELECT FROM {parts} p WHERE p.host_id = esxi_host.id AND p.present)"
)
_EXPECTED = {
    Stream.ARRAY_VOLUME: "SELECT NULL::text AS key, min(first_seen_at) AS first_seen_at FROM volume "
    "WHERE source_id = :source_id AND present HAVING count(*) > 0",
    Stream.ARRAY_DIRECTORY: "SELECT NULL::text AS key, min(first_seen_at) AS first_seen_at FROM array_directory "
    "WHERE source_id = :source_id AND present HAVING count(*) > 0",
    Stream.ARRAY_WIDE: "SELECT NULL::text AS key, min(first_seen_at) AS first_seen_at FROM storage_array "
    "WHERE source_id = :source_id AND present HAVING count(*) > 0",
    Stream.ARRAY_PORT: "SELECT NULL::text AS key, min(first_seen_at) AS first_seen_at FROM array_port "
    "WHERE source_id = :source_id AND present HAVING count(*) > 0",
    Stream.HOST_DEVICE: _HOSTS.format(parts="host_device"),
    Stream.ADAPTER: _HOSTS.format(parts="hba"),
    Stream.HOST_CPU: "SELECT key, first_seen_at FROM esxi_host WHERE source_id = :source_id AND present AND connection_state = 'connected'",
    Stream.PATH: "SELECT h.key, h.first_seen_at FROM esxi_host h WHERE h.source_id = :source_id AND h.present "
    "AND h.connection_state = 'connected' AND EXISTS (SELECT FROM host_device d JOIN path p ON p.host_device_id = d.id "
    "WHERE d.host_id = h.id AND p.present)",
    Stream.VM_DISK: "SELECT key, first_seen_at FROM vm WHERE source_id = :source_id AND present AND power_state = 'poweredOn' "
    "AND EXISTS (SELECT FROM vm_disk d WHERE d.vm_id = vm.id AND d.present)",
}
_REPORTER = {
    Stream.ARRAY_VOLUME: "SELECT NULL::text AS key, id FROM volume WHERE source_id = :source_id",
    Stream.ARRAY_DIRECTORY: "SELECT NULL::text AS key, id FROM array_directory WHERE source_id = :source_id",
    Stream.ARRAY_WIDE: "SELECT NULL::text AS key, id FROM storage_array WHERE source_id = :source_id",
    Stream.ARRAY_PORT: "SELECT NULL::text AS key, id FROM array_port WHERE source_id = :source_id",
    Stream.HOST_DEVICE: "SELECT h.key, d.id FROM host_device d JOIN esxi_host h ON h.id = d.host_id WHERE d.source_id = :source_id",
    Stream.ADAPTER: "SELECT h.key, a.id FROM hba a JOIN esxi_host h ON h.id = a.host_id WHERE a.source_id = :source_id",
    Stream.HOST_CPU: "SELECT key, id FROM esxi_host WHERE source_id = :source_id",
    Stream.PATH: "SELECT h.key, p.id FROM path p JOIN host_device d ON d.id = p.host_device_id "
    "JOIN esxi_host h ON h.id = d.host_id WHERE p.source_id = :source_id",
    Stream.VM_DISK: "SELECT v.key, d.id FROM vm_disk d JOIN vm v ON v.id = d.vm_id WHERE d.source_id = :source_id",
}

# A stamp follows the one before it by its own length; half as much again is jitter of the source's grid. What is missing then is the time
# before the later sample's own interval. A stretch that an explained or pending gap covers at its start is left out.
_HOLES = """
WITH expected AS ({expected}),
     stamps AS (
        SELECT r.key, s.ts, max(s.interval_s) AS interval_s
        FROM {samples} s JOIN ({reporter}) r ON r.id = s.entity_id
        WHERE s.ts > :lo GROUP BY r.key, s.ts),
     grain AS (SELECT coalesce(max(interval_s), 0) AS interval_s FROM stamps),
     edges AS (
        SELECT key, ts, ts - interval_s * interval '1 s' AS to_at, interval_s FROM stamps
        UNION ALL SELECT key, greatest(:lo, first_seen_at), NULL, NULL FROM expected
        UNION ALL SELECT key, :hi, :hi, g.interval_s FROM expected, grain g WHERE first_seen_at < :hi),
     steps AS (
        SELECT key, lag(ts) OVER (PARTITION BY key ORDER BY ts, to_at NULLS FIRST) AS from_at, ts, to_at, interval_s FROM edges),
     open AS (
        SELECT s.key, s.to_at, s.interval_s, greatest(s.from_at, (
            SELECT max(g.to_at) FROM gap g
            WHERE g.source_id = :source_id AND g.stream = :stream AND g.state <> 'recovered'
              AND (g.entity_key IS NULL OR g.entity_key = s.key) AND g.from_at <= s.from_at AND g.to_at > s.from_at)) AS from_at
        FROM steps s WHERE s.to_at IS NOT NULL AND s.ts - s.from_at > s.interval_s * interval '1.5 s')
SELECT key, from_at, to_at FROM open
WHERE to_at - from_at > interval_s * interval '0.5 s'
ORDER BY from_at, key
"""


def holes(connection: Connection, source_id: int, stream: Stream, lo: datetime, hi: datetime) -> tuple[Hole, ...]:
    """Holes in (lo, min(hi, watermark)] by the source's clock, oldest first. A stream that has not begun has none."""
    until = connection.execute(
        text("SELECT until_at FROM watermark WHERE source_id = :source_id AND stream = :stream"),
        {"source_id": source_id, "stream": stream},
    ).scalar()
    if until is None or min(hi, until) <= lo:
        return ()
    samples = packed.rows(SAMPLES[stream], ("interval_s",), of="true")
    query = _HOLES.format(expected=_EXPECTED[stream], reporter=_REPORTER[stream], samples=samples)
    rows = connection.execute(text(query), {"source_id": source_id, "stream": stream, "lo": lo, "hi": min(hi, until)})
    return tuple(Hole(row.key, row.from_at, row.to_at) for row in rows)
