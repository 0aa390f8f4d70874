"""How much of their line rate busy target ports used, minute by minute, and what of some devices' I/O went through them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt
from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.path_loads import LONGEST_SAMPLE, PathTime, path_means
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.series import packed
from gavel.db.series.catalog import EPOCH, SAMPLES
from gavel.domain.inventory import DOWN_STATES
from gavel.domain.samples import STEP_US, Precision
from gavel.domain.source import Stream

Floats = npt.NDArray[np.float64]
# A sample's stamp may lie this far from its place on Gavel's clock: offset of the array's clock, and half its length.
_REACH = timedelta(minutes=10)
_COLUMNS = ("interval_s", "received_bytes", "transmitted_bytes")
_MEASURED = "s.interval_s > 0 AND s.received_bytes IS NOT NULL AND s.transmitted_bytes IS NOT NULL"


_OF_PORT = packed.rows(SAMPLES[Stream.ARRAY_PORT], _COLUMNS, of="entity_id = r.id")
_OF_PORT_LATELY = packed.rows(SAMPLES[Stream.ARRAY_PORT], _COLUMNS, of="entity_id = r.id", lo=":busy_lo")


# Ports of iSCSI and NVMe/TCP share one name on an array: which of them a path leads to is known of Fibre Channel only.
_MINUTES = f"""
    WITH reached AS MATERIALIZED (
        SELECT DISTINCT r.id, r.key, r.source_id, r.line_rate_bytes_per_s AS line_rate
        FROM path p JOIN array_port r ON lower(r.wwn) = p.target AND r.present
        WHERE p.host_device_id = ANY(CAST(:devices AS int[])) AND p.present AND r.line_rate_bytes_per_s > 0),
    busy AS MATERIALIZED (
        SELECT r.* FROM reached r WHERE EXISTS (
            SELECT FROM {_OF_PORT_LATELY} s
            WHERE {_MEASURED} AND greatest(s.received_bytes, s.transmitted_bytes) >= :used * r.line_rate * s.interval_s))
    SELECT r.id, r.key, r.line_rate, a.id AS array_id, a.name AS array_name,
        date_bin('1 minute', s.ts - c.ahead - s.interval_s / 2.0 * interval '1 second', :epoch) AS minute,
        sum(s.received_bytes)::float8 / sum(s.interval_s) AS received, sum(s.transmitted_bytes)::float8 / sum(s.interval_s) AS transmitted
    FROM busy r JOIN storage_array a ON a.source_id = r.source_id AND a.present,
    LATERAL (SELECT coalesce((
        SELECT o.offset_s FROM clock_offset o WHERE o.source_id = r.source_id AND o.subject IS NULL
        ORDER BY o.read_at DESC LIMIT 1), 0) * interval '1 second' AS ahead) c,
    LATERAL {_OF_PORT} s
    WHERE {_MEASURED} GROUP BY r.id, r.key, r.line_rate, a.id, a.name, minute ORDER BY r.id, minute
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BusyLink:
    """A target port and what went through it by minute, bytes per second one way; minutes without a sample are absent."""

    id: int
    name: str
    array: EntityRef
    line_rate: float
    received: Mapping[datetime, float] = field(default_factory=dict)
    transmitted: Mapping[datetime, float] = field(default_factory=dict)

    def one_way(self, stamps: Sequence[datetime]) -> tuple[Floats, Floats]:
        """Received and transmitted, (n,) each; NaN where it was not measured."""
        received, transmitted = (
            np.array([of.get(stamp, np.nan) for stamp in stamps], dtype=np.float64)
            for of in (self.received, self.transmitted)
        )
        return received, transmitted

    def used(self, stamps: Sequence[datetime]) -> Floats:
        """Share of the line rate, by the busier way of each minute; (n,), NaN where it was not measured."""
        share: Floats = np.maximum(*self.one_way(stamps)) / self.line_rate
        return share


@dataclass(frozen=True, slots=True, kw_only=True)
class PortPaths:
    """Working paths of one device to one target port; port_id None: to all other ports.

    Means of the five-minute samples that touch the time; None where no sample is stored. us comes in steps of `precision_us`.
    """

    subject_id: int
    device_id: int
    port_id: int | None
    paths: int
    iops: float | None
    us: float | None
    precision_us: float | None


def busy_links(
    connection: Connection,
    device_ids: Sequence[int],
    busy_from_at: datetime,
    from_at: datetime,
    to_at: datetime,
    *,
    used: float,
) -> tuple[BusyLink, ...]:
    """Ports behind these devices with any sample from `busy_from_at` on in which so much of the line rate was used.

    Their minutes are those in [from_at, to_at].
    """
    if not device_ids:
        return ()
    given = {
        "devices": list(device_ids), "busy_lo": busy_from_at - _REACH, "lo": from_at - _REACH, "hi": to_at + _REACH,
        "used": used, "epoch": EPOCH,
    }  # fmt: skip
    rows = connection.execute(text(_MINUTES), given).all()
    first = {row.id: row for row in rows}
    return tuple(
        BusyLink(
            id=port_id,
            name=port.key,
            array=EntityRef(RefKind.ARRAY, port.array_id, port.array_name),
            line_rate=float(port.line_rate),
            received={row.minute: row.received for row in rows if row.id == port_id},
            transmitted={row.minute: row.transmitted for row in rows if row.id == port_id},
        )
        for port_id, port in first.items()
    )


_PATHS = f"""
    WITH asked AS (SELECT * FROM unnest(CAST(:ids AS int[]), CAST(:devices AS int[]), CAST(:los AS timestamptz[]),
        CAST(:his AS timestamptz[])) a (id, device_id, lo, hi))
    SELECT a.id AS subject_id, a.device_id, r.id AS port_id, count(*) AS paths, sum(s.iops) AS iops,
        sum(s.timed) / nullif(sum(s.timed_ops), 0) AS us, max(s.precision) AS precision
    FROM asked a JOIN path p ON p.host_device_id = a.device_id AND p.present AND p.state <> ALL(:down)
    LEFT JOIN array_port r ON lower(r.wwn) = p.target AND r.present AND r.id = ANY(CAST(:ports AS int[]))
    LEFT JOIN LATERAL ({path_means("a.lo", "ts - interval_s * interval '1 second' < a.hi")}) s ON true
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""


def port_paths(connection: Connection, times: Sequence[PathTime], port_ids: Sequence[int]) -> list[PortPaths]:
    """By object and device; of these ports each, and of all others together."""
    if not times or not port_ids:
        return []
    given = {
        "ids": [one.subject_id for one in times],
        "devices": [one.device_id for one in times],
        "los": [one.from_at for one in times],
        "his": [one.to_at for one in times],
        "ports": list(port_ids),
        "down": list(DOWN_STATES),
        "lo": min(one.from_at for one in times),
        "hi": max(one.to_at for one in times) + LONGEST_SAMPLE,
    }
    return [
        PortPaths(
            subject_id=row.subject_id,
            device_id=row.device_id,
            port_id=row.port_id,
            paths=row.paths,
            iops=row.iops,
            us=row.us,
            precision_us=None if row.us is None else float(STEP_US[Precision(row.precision)]),
        )
        for row in connection.execute(text(_PATHS), given)
    ]
