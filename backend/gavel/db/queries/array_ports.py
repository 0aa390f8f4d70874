"""Target ports of one array, with what went through them in the newest minutes."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.source import Stream

_NEWEST = timedelta(minutes=10)
_OF_PORT = packed.rows(
    SAMPLES[Stream.ARRAY_PORT],
    ("interval_s", "received_bytes", "transmitted_bytes", "errors"),
    of="entity_id = r.id",
)
_PORTS = f"""
    SELECT r.key AS name, coalesce(r.wwn, r.nqn, r.iqn) AS address, r.line_rate_bytes_per_s, s.received, s.transmitted, s.errors, (
        SELECT count(DISTINCT d.host_id) FROM path p JOIN host_device d ON d.id = p.host_device_id AND d.present
        WHERE p.target = lower(r.wwn) AND p.present) AS hosts, r.wwn IS NOT NULL AS is_fibre_channel
    FROM storage_array a JOIN array_port r ON r.source_id = a.source_id AND r.present, LATERAL (
        SELECT sum(received_bytes)::float8 / nullif(sum(interval_s), 0) AS received,
            sum(transmitted_bytes)::float8 / nullif(sum(interval_s), 0) AS transmitted, sum(errors) AS errors
        FROM {_OF_PORT} s WHERE ts > :lo) s
    WHERE a.id = :id ORDER BY r.key, r.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayPortRow:
    """A target port. address: its WWN, NQN or IQN. `line_rate_bytes_per_s`: what its link carries one way at most. Rates and errors are of
    the newest 10 minutes; null: not measured. `hosts`: with paths to it; null where ports of the array share one address.
    """

    name: str
    address: str | None
    line_rate_bytes_per_s: int | None
    received_bytes_per_s: float | None
    transmitted_bytes_per_s: float | None
    errors: int | None
    hosts: int | None


def array_ports(connection: Connection, array_id: int, now: datetime) -> tuple[ArrayPortRow, ...]:
    """Of one array, by name."""
    return tuple(
        ArrayPortRow(
            name=row.name,
            address=row.address,
            line_rate_bytes_per_s=row.line_rate_bytes_per_s,
            received_bytes_per_s=row.received,
            transmitted_bytes_per_s=row.transmitted,
            errors=row.errors,
            hosts=row.hosts if row.is_fibre_channel else None,
        )
        for row in connection.execute(text(_PORTS), {"id": array_id, "lo": now - _NEWEST, "hi": now})
    )
