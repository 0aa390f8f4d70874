"""The newest numbers of devices and the parts of volumes' times, over the same minute as those of lists."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.newest import STALE, STEP_US, common_minute, weighted, weights
from gavel.db.queries.rows import DeviceNumbers, VolumeParts
from gavel.domain.samples import Precision

# Each of `:ids` over its last minute before `:common` or its source's watermark.
_FROM = """
    FROM {stream}_sample s JOIN {table} e ON e.id = s.entity_id
    JOIN watermark w ON w.source_id = e.source_id AND w.stream = '{stream}'
    WHERE s.entity_id = ANY(CAST(:ids AS int[])) AND s.ts > :floor AND s.ts <= :common
        AND s.ts > least(w.until_at, :common) - INTERVAL '1 minute'
    GROUP BY s.entity_id
"""


def _mean(latency: str, directions: Sequence[str]) -> str:
    """Over the operations of which it was measured."""
    return f"{weighted(latency, directions)} / nullif({weights(latency, directions)}, 0)"


_HOST = ("read", "write")
_DEVICES = f"""
    SELECT s.entity_id, max(s.precision) AS precision, max(nullif(s.queue_depth, 0)) AS depth,
        sum(s.read_ops + s.write_ops)::float8 / nullif(sum(s.interval_s) FILTER (WHERE s.read_ops + s.write_ops IS NOT NULL), 0) AS iops,
        {_mean("s.{d}_gavg_us", _HOST)} AS gavg_us, {_mean("s.{d}_davg_us", _HOST)} AS davg_us
    {_FROM.format(stream="host_device", table="host_device")}
"""
_ALL = ("read", "write", "mirrored_write")
_QOS = "s.{d}_qos_us + coalesce(s.{d}_qos_sched_us, 0)"
_VOLUMES = f"""
    SELECT s.entity_id, {_mean("s.{d}_service_us", _ALL)} AS service_us, {_mean("s.{d}_queue_us", _ALL)} AS queue_us,
        {_mean(_QOS, _ALL)} AS qos_us,
        {_mean("s.{d}_service_us + s.{d}_queue_us + " + _QOS, ("mirrored_write",))} AS mirrored_us
    {_FROM.format(stream="array_volume", table="volume")}
"""
NO_NUMBERS = DeviceNumbers(None, None, None, None, None)
NO_PARTS = VolumeParts(None, None, None, None)


def device_numbers(connection: Connection, ids: Sequence[int], now: datetime) -> Mapping[int, DeviceNumbers]:
    """By id; devices without a sample are absent."""
    return {
        row.entity_id: DeviceNumbers(
            iops=row.iops,
            gavg_us=row.gavg_us,
            precision_us=None if row.precision is None else STEP_US[Precision(row.precision)],
            in_flight_ios=_in_flight(row.iops, row.davg_us, row.precision),
            depth_in_force=row.depth,
        )
        for row in connection.execute(text(_DEVICES), _over(connection, ids, now))
    }


def volume_parts(connection: Connection, ids: Sequence[int], now: datetime) -> Mapping[int, VolumeParts]:
    """By id; volumes without a sample are absent."""
    return {
        row.entity_id: VolumeParts(
            service_us=row.service_us, queue_us=row.queue_us, qos_us=row.qos_us, mirrored_write_us=row.mirrored_us
        )
        for row in connection.execute(text(_VOLUMES), _over(connection, ids, now))
    }


def _over(connection: Connection, ids: Sequence[int], now: datetime) -> Mapping[str, object]:
    return {"ids": list(ids), "floor": now - STALE, "common": common_minute(connection)}


def _in_flight(iops: float | None, davg_us: float | None, precision: int | None) -> float | None:
    """I/Os at the device at any moment; times in whole ms are too coarse to tell."""
    if iops == 0:
        return 0.0
    if iops is None or davg_us is None or precision == Precision.MILLISECOND:
        return None
    return iops * davg_us / 1e6
