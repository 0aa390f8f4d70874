"""What is stored of the samples that some rules of findings need: hours of an array's past, and sources without any."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.finding_arrays import hours_of_arrays
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.series import packed
from gavel.db.series.catalog import LEDGER, SAMPLES
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key
from gavel.domain.source import HOST_SOURCES, Stream


@dataclass(frozen=True, slots=True)
class MeasuredHours:
    array: EntityRef
    hours: int


def measured_hours(connection: Connection, before: datetime) -> list[MeasuredHours]:
    """Of each array that is polled, as the rules count them: the whole hours of the 30 days that ended by then. By name."""
    arrays = _arrays(connection)
    hours = hours_of_arrays(connection, [one.id for one in arrays], before) if arrays else {}
    return [MeasuredHours(one, hours.get(one.id, 0)) for one in arrays]


def _arrays(connection: Connection) -> list[EntityRef]:
    """That are polled, by name."""
    rows = connection.execute(
        text(
            "SELECT a.id, a.name FROM storage_array a JOIN source c ON c.id = a.source_id AND c.enabled"
            " WHERE a.present ORDER BY lower(a.name), a.id"
        )
    )
    return [EntityRef(RefKind.ARRAY, row.id, row.name) for row in rows]


_MINUTES = f"""
    SELECT l.entity_id - :base AS id, count(*) AS minutes
    FROM {packed.rows(LEDGER, ("array_ops",), of=packed.of_any("CAST(:keys AS bigint[])"))} l
    WHERE l.ts < :hi AND (NOT :counted OR l.array_ops IS NOT NULL) GROUP BY 1
"""


def _minutes(
    connection: Connection, kind: ScopeKind, ids: Sequence[int], span: tuple[datetime, datetime], *, counted: bool
) -> Mapping[int, int]:
    given = {"base": scope_key(kind, 0), "keys": [scope_key(kind, one) for one in ids], "counted": counted}
    rows = connection.execute(text(_MINUTES), given | {"lo": span[0], "hi": span[1]})
    return {row.id: row.minutes for row in rows}


def analyzed_minutes(connection: Connection, from_at: datetime, to_at: datetime) -> int:
    """Minutes that begin in [from_at, to_at) in which anything was analyzed."""
    found = _minutes(connection, ScopeKind.ENVIRONMENT, [ENVIRONMENT_ID], (from_at, to_at), counted=False)
    return found.get(ENVIRONMENT_ID, 0)


def minutes_of_arrays(connection: Connection, from_at: datetime, to_at: datetime) -> dict[EntityRef, int]:
    """Of each array that is polled, those in which its I/O was counted. By name."""
    arrays = _arrays(connection)
    found = _minutes(connection, ScopeKind.ARRAY, [one.id for one in arrays], (from_at, to_at), counted=True)
    return {one: found.get(one.id, 0) for one in arrays}


def sources_without_tasks(connection: Connection) -> list[EntityRef]:
    """Sources of hosts that are polled and have an inventory, but no tasks of VMs were read with the newest. By name."""
    query = """
        SELECT c.id, c.name FROM source c WHERE c.enabled AND c.kind = ANY(CAST(:kinds AS text[]))
            AND coalesce(c.tasks_read_at, '-infinity') < c.inventory_at
        ORDER BY lower(c.name), c.id
    """
    rows = connection.execute(text(query), {"kinds": [kind.value for kind in HOST_SOURCES]})
    return [EntityRef(RefKind.SOURCE, row.id, row.name) for row in rows]


@dataclass(frozen=True, slots=True)
class _Sampled:
    """entity: SQL of a source's objects `e` with samples; counted: what says something; owner: SQL of what a source has to have."""

    entity: str
    counted: str
    owner: str


_SAMPLED: Final[Mapping[Stream, _Sampled]] = {
    Stream.ADAPTER: _Sampled("hba e WHERE e.present", "queued", "SELECT FROM hba o WHERE o.present"),
    Stream.ARRAY_PORT: _Sampled(
        "array_port e WHERE e.present AND e.line_rate_bytes_per_s > 0",
        "transmitted_bytes",
        "SELECT FROM storage_array o WHERE o.present",
    ),
    # Counters are served for those with an instance alone.
    Stream.PATH: _Sampled(
        "path e WHERE e.present AND e.counter IS NOT NULL", "read_ops", "SELECT FROM path o WHERE o.present"
    ),
}


def sources_without(
    connection: Connection, stream: Stream, from_at: datetime, to_at: datetime, *, least: int = 1
) -> list[EntityRef]:
    """Sources that are polled and have the objects, but none with so many counted samples that end in [from_at, to_at]. By name."""
    one = _SAMPLED[stream]
    samples = packed.rows(SAMPLES[stream], (one.counted,), of="entity_id = e.id")
    query = f"""
        SELECT c.id, c.name FROM source c WHERE c.enabled AND EXISTS ({one.owner} AND o.source_id = c.id)
            AND NOT EXISTS (SELECT FROM (SELECT e.id FROM {one.entity} AND e.source_id = c.id) e
                WHERE (SELECT count(s.{one.counted}) FROM {samples} s) >= :least)
        ORDER BY lower(c.name), c.id
    """
    rows = connection.execute(text(query), {"lo": from_at, "hi": to_at, "least": least})
    return [EntityRef(RefKind.SOURCE, row.id, row.name) for row in rows]
