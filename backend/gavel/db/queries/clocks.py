"""Clocks: the measured offsets of sources and hosts."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import Row, insert, select, true
from sqlalchemy.dialects.postgresql import distinct_on

from gavel.db.engine import Connection
from gavel.db.schema.bookkeeping import clock_offset
from gavel.db.schema.host_side import esxi_host, vm
from gavel.domain.source import ClockReading

_READING = (clock_offset.c.subject, clock_offset.c.offset_s, clock_offset.c.error_s, clock_offset.c.read_at)


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


def newest_clocks(connection: Connection, source_id: int, *, until: datetime | None = None) -> tuple[ClockReading, ...]:
    """The newest reading of each subject, the source itself first; with `until`, of those that were read by then."""
    subject = clock_offset.c.subject
    newest = (
        select(*_READING)
        .where(clock_offset.c.source_id == source_id, true() if until is None else clock_offset.c.read_at <= until)
        .ext(distinct_on(subject))
        .order_by(subject.nulls_first(), clock_offset.c.read_at.desc())
    )
    return tuple(_reading(row) for row in connection.execute(newest))


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
    found = connection.execute(on_host)
    return by_host | {row.key: by_host[row.host] for row in found if row.host in by_host}


def clock_names(connection: Connection, source_id: int) -> Mapping[str, str]:
    """What the hosts are called that readings name by their keys."""
    names = select(esxi_host.c.key, esxi_host.c.name).where(esxi_host.c.source_id == source_id)
    return {row.key: row.name for row in connection.execute(names)}


def _reading(row: Row[str | None, float, float, datetime]) -> ClockReading:
    subject, offset_s, error_s, read_at = row
    return ClockReading(subject=subject, offset_s=offset_s, error_s=error_s, read_at=read_at)
