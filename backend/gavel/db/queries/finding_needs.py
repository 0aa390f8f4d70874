"""What is stored of the samples that some rules of findings need: hours of an array's past, and sources without any."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.finding_arrays import hours_of_arrays
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.source import Stream


@dataclass(frozen=True, slots=True)
class MeasuredHours:
    array: EntityRef
    hours: int


def measured_hours(connection: Connection, before: datetime) -> list[MeasuredHours]:
    """Of each array that is polled, as the rules count them: the whole hours of the 30 days that ended by then. By name."""
    ids = {
        row.id: row.name
        for row in connection.execute(
            text(
                "SELECT a.id, a.name FROM storage_array a JOIN source c ON c.id = a.source_id AND c.enabled"
                " WHERE a.present ORDER BY lower(a.name), a.id"
            )
        )
    }
    hours = hours_of_arrays(connection, list(ids), before) if ids else {}
    return [MeasuredHours(EntityRef(RefKind.ARRAY, one, name), hours.get(one, 0)) for one, name in ids.items()]


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
}


def sources_without(connection: Connection, stream: Stream, from_at: datetime, to_at: datetime) -> list[EntityRef]:
    """Sources that are polled and have the objects, but no counted sample that ends in [from_at, to_at]. By name."""
    one = _SAMPLED[stream]
    samples = packed.rows(SAMPLES[stream], (one.counted,), of="entity_id = e.id")
    query = f"""
        SELECT c.id, c.name FROM source c WHERE c.enabled AND EXISTS ({one.owner} AND o.source_id = c.id)
            AND NOT EXISTS (SELECT FROM (SELECT e.id FROM {one.entity} AND e.source_id = c.id) e, LATERAL {samples} s
                WHERE s.{one.counted} IS NOT NULL)
        ORDER BY lower(c.name), c.id
    """
    rows = connection.execute(text(query), {"lo": from_at, "hi": to_at})
    return [EntityRef(RefKind.SOURCE, row.id, row.name) for row in rows]
