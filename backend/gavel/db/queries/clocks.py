"""Clocks: the measured offsets of sources and hosts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import insert, select, text

from gavel.db.engine import Connection
from gavel.db.schema.bookkeeping import clock_offset
from gavel.db.schema.host_side import esxi_host, vm
from gavel.domain.source import ClockReading

_READING = (clock_offset.c.subject, clock_offset.c.offset_s, clock_offset.c.error_s, clock_offset.c.read_at)


@dataclass(frozen=True, slots=True)
class Clock:
    """One reading. `subject` null is the source itself, else an ESXi host; how far its clock ran ahead, true within `error_s`."""

    source_id: int
    subject: str | None
    read_at: datetime
    offset_s: float
    error_s: float


def record_clocks(connection: Connection, source_id: int, readings: Iterable[ClockReading]) -> None:
    rows = [
        {
            "source_id": source_id,
            "subject": reading.subject,
            "read_at": reading.read_at,
            "offset_s": reading.offset_s,
            "error_s": reading.error_s,
        }
        for reading in readings
    ]
    if rows:
        connection.execute(insert(clock_offset), rows)


# Readings are kept for two weeks, thousands of each clock: from one subject to the next by the index, and of each its newest alone.
_NEWEST = """
    WITH RECURSIVE known (source_id, subject) AS (
        SELECT s.id, (SELECT c.subject FROM clock_offset c
                      WHERE c.source_id = s.id AND c.subject IS NOT NULL ORDER BY c.subject LIMIT 1)
        FROM unnest(CAST(:sources AS integer[])) s (id)
        UNION ALL
        SELECT known.source_id, (SELECT c.subject FROM clock_offset c
                                 WHERE c.source_id = known.source_id AND c.subject > known.subject ORDER BY c.subject LIMIT 1)
        FROM known WHERE known.subject IS NOT NULL)
    SELECT s.id AS source_id, c.* FROM unnest(CAST(:sources AS integer[])) s (id) CROSS JOIN LATERAL (
        SELECT subject, offset_s, error_s, read_at FROM clock_offset
        WHERE source_id = s.id AND subject IS NULL AND read_at <= :until ORDER BY read_at DESC LIMIT 1) c
    UNION ALL
    SELECT known.source_id, c.* FROM known CROSS JOIN LATERAL (
        SELECT subject, offset_s, error_s, read_at FROM clock_offset
        WHERE source_id = known.source_id AND subject = known.subject AND read_at <= :until ORDER BY read_at DESC LIMIT 1) c
    ORDER BY source_id, subject NULLS FIRST
"""


def newest_clocks(connection: Connection, source_id: int, *, until: datetime | None = None) -> tuple[ClockReading, ...]:
    """The newest reading of each subject, the source itself first; with `until`, of those that were read by then."""
    return newest_clocks_of(connection, [source_id], until=until)[source_id]


def newest_clocks_of(
    connection: Connection, source_ids: Sequence[int], *, until: datetime | None = None
) -> Mapping[int, tuple[ClockReading, ...]]:
    """`newest_clocks` of each source."""
    given = {"sources": list(source_ids), "until": until or datetime.max.replace(tzinfo=UTC)}
    readings: dict[int, list[ClockReading]] = {source_id: [] for source_id in source_ids}
    for row in connection.execute(text(_NEWEST), given):
        source_id, *reading = row
        readings[source_id].append(_reading(reading))
    return {source_id: tuple(of_source) for source_id, of_source in readings.items()}


def newest_own_clock(connection: Connection, source_id: int, *, until: datetime) -> ClockReading | None:
    """The newest reading of the source itself, without those of its hosts, of those that were read by `until`."""
    newest = (
        select(*_READING)
        .where(clock_offset.c.source_id == source_id, clock_offset.c.subject.is_(None), clock_offset.c.read_at <= until)
        .order_by(clock_offset.c.read_at.desc())
        .limit(1)
    )
    row = connection.execute(newest).one_or_none()
    return None if row is None else _reading(row)


def clocks_of_owners(connection: Connection, source_id: int, *, until: datetime) -> Mapping[str, float]:
    """Offset in s of the clock that stamps the samples of each host and VM, by their keys; where the host's own was read."""
    by_host = {
        clock.subject: clock.offset_s for clock in newest_clocks(connection, source_id, until=until) if clock.subject
    }
    if not by_host:
        return {}
    on_host = (
        select(vm.c.key, esxi_host.c.key.label("host"))
        .join(esxi_host, esxi_host.c.id == vm.c.host_id)
        .where(vm.c.source_id == source_id)
    )
    found = connection.execute(on_host).all()
    return by_host | {key: by_host[host] for key, host in found if host in by_host}


_BESIDE = """
    SELECT c.* FROM source s CROSS JOIN LATERAL (
        SELECT source_id, subject, read_at, offset_s, error_s FROM clock_offset
        WHERE source_id = s.id AND subject IS NULL AND read_at {side} ORDER BY read_at {order} LIMIT 1) c
    UNION ALL
    SELECT c.* FROM esxi_host h CROSS JOIN LATERAL (
        SELECT source_id, subject, read_at, offset_s, error_s FROM clock_offset
        WHERE source_id = h.source_id AND subject = h.key AND read_at {side} ORDER BY read_at {order} LIMIT 1) c
    WHERE h.present OR h.last_seen_at >= :since
"""
_DURING = "SELECT source_id, subject, read_at, offset_s, error_s FROM clock_offset WHERE read_at > :since AND read_at <= :until"
_UNTIL = f"{_DURING} UNION ALL {_BESIDE.format(side='<= :since', order='DESC')}"
_AFTER = f"{_DURING} UNION ALL {_BESIDE.format(side='> :until', order='ASC')}"


def clocks_around(connection: Connection, since: datetime, until: datetime) -> tuple[Clock, ...]:
    """Readings in (since, until], and of every clock the newest one before; of those that were first read later, that one."""
    limits = {"since": since, "until": until}
    before = connection.execute(text(_UNTIL), limits).all()
    after = connection.execute(text(_AFTER), limits).all()
    known = {(row.source_id, row.subject) for row in before}
    rows = [*before, *(row for row in after if (row.source_id, row.subject) not in known)]
    return tuple(Clock(*row) for row in rows)


def clock_names_of(connection: Connection, source_ids: Sequence[int]) -> Mapping[int, Mapping[str, str]]:
    """Names of the hosts of each source, by the keys that their readings have."""
    host = esxi_host.c
    names: dict[int, dict[str, str]] = {source_id: {} for source_id in source_ids}
    for row in connection.execute(select(host.source_id, host.key, host.name).where(host.source_id.in_(source_ids))):
        names[row.source_id][row.key] = row.name
    return names


def _reading(row: Sequence[Any]) -> ClockReading:
    subject, offset_s, error_s, read_at = row
    return ClockReading(subject=subject, offset_s=offset_s, error_s=error_s, read_at=read_at)
