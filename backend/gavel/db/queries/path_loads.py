"""How devices' paths carried I/O in a time and in a normal time before it: by device, adapter, and whether they are optimized and work."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.inventory import DOWN_STATES
from gavel.domain.samples import STEP_US, Precision
from gavel.domain.source import Stream

LONGEST_SAMPLE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class PathTime:
    """[from_at, to_at) of an object, and the normal time before it, [normal_from_at, normal_to_at); None: there is none."""

    subject_id: int
    device_id: int
    from_at: datetime
    to_at: datetime
    normal_from_at: datetime | None
    normal_to_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLoad:
    """Paths of one device through one adapter (None: not read which); optimized ones apart, and those that are down.

    Rates and latencies are means of the five-minute samples that touch the time; None where no sample is stored. us comes in steps of
    `precision_us`; normal_*: of samples that end in the normal time before, for one that touches both would be of neither. is_down: as
    the inventory has it now.
    """

    subject_id: int
    device_id: int
    adapter: str | None
    is_optimized: bool | None
    is_down: bool
    paths: int
    iops: float | None
    us: float | None
    normal_iops: float | None
    normal_us: float | None
    precision_us: float | None


_OF_PATH = packed.rows(
    SAMPLES[Stream.PATH],
    ("interval_s", "precision", "read_ops", "write_ops", "read_latency_us", "write_latency_us"),
    of="entity_id = p.id",
)


def path_means(low: str, until: str) -> str:
    """Of one path's samples that end after `low`, and as `until` says."""
    return f"""
        SELECT (sum(read_ops) + sum(write_ops))::float8 / nullif(sum(interval_s), 0) AS iops, max(precision) AS precision,
            sum(coalesce(read_latency_us::float8 * read_ops, 0) + coalesce(write_latency_us::float8 * write_ops, 0)) AS timed,
            sum(CASE WHEN read_latency_us IS NULL THEN 0 ELSE read_ops END
                + CASE WHEN write_latency_us IS NULL THEN 0 ELSE write_ops END) AS timed_ops
        FROM {_OF_PATH} r WHERE ts > {low} AND ts < :hi AND {until} AND ts > :lo
    """


_PATHS = f"""
    WITH asked AS (SELECT * FROM unnest(CAST(:ids AS int[]), CAST(:devices AS int[]), CAST(:los AS timestamptz[]),
        CAST(:his AS timestamptz[]), CAST(:normal_los AS timestamptz[]), CAST(:normal_his AS timestamptz[]))
        a (id, device_id, lo, hi, normal_lo, normal_hi))
    SELECT a.id AS subject_id, a.device_id, b.device AS adapter, p.is_optimized, p.state = ANY(:down) AS is_down, count(*) AS paths,
        sum(s.iops) AS iops, sum(s.timed) / nullif(sum(s.timed_ops), 0) AS us, max(s.precision) AS precision,
        sum(n.iops) AS normal_iops, sum(n.timed) / nullif(sum(n.timed_ops), 0) AS normal_us
    FROM asked a JOIN path p ON p.host_device_id = a.device_id AND p.present LEFT JOIN hba b ON b.id = p.hba_id
    LEFT JOIN LATERAL ({path_means("a.lo", "ts - interval_s * interval '1 second' < a.hi")}) s ON true
    LEFT JOIN LATERAL ({path_means("a.normal_lo", "ts <= a.normal_hi")}) n ON true
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
"""


def path_loads(connection: Connection, times: Sequence[PathTime]) -> list[PathLoad]:
    """By object, device and adapter."""
    if not times:
        return []
    edges = [edge for one in times for edge in (one.from_at, one.normal_from_at) if edge is not None]
    parameters = {
        "ids": [one.subject_id for one in times],
        "devices": [one.device_id for one in times],
        "los": [one.from_at for one in times],
        "his": [one.to_at for one in times],
        "normal_los": [one.normal_from_at for one in times],
        "normal_his": [one.normal_to_at for one in times],
        "down": list(DOWN_STATES),
        "lo": min(edges),
        "hi": max(one.to_at for one in times) + LONGEST_SAMPLE,
    }
    rows = connection.execute(text(_PATHS), parameters)
    return [
        PathLoad(
            subject_id=row.subject_id,
            device_id=row.device_id,
            adapter=row.adapter,
            is_optimized=row.is_optimized,
            is_down=row.is_down,
            paths=row.paths,
            iops=row.iops,
            us=row.us,
            normal_iops=row.normal_iops,
            normal_us=row.normal_us,
            precision_us=None if row.us is None else float(STEP_US[Precision(row.precision)]),
        )
        for row in rows
    ]
