"""Minutes of single disks, devices and volumes, as far as a cause is decided from them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from gavel.db.copying import ColumnType, fetch, int_array
from gavel.db.engine import Connection
from gavel.db.queries.causes import OPS, segment_time, sum_of
from gavel.db.queries.queues import IN_FLIGHT
from gavel.db.series import packed
from gavel.db.series.catalog import LEDGER, LEDGER_LEAVES, RawSeries
from gavel.db.series.modes import Storage
from gavel.db.write.ledger import FIRST_PARENT
from gavel.domain.samples import Int64Array

Floats = npt.NDArray[np.float64]

_MINUTE_COLUMNS: Mapping[str, str] = {
    "ops": f"CASE WHEN coalesce(read_ops, write_ops) IS NOT NULL THEN {OPS} END",
    "read_ops": "read_ops",
    "bytes": sum_of(["read_bytes", "write_bytes"]),
    "array_ops": "array_ops",
    "guest_time": segment_time("guest_queue"),
    "hypervisor_time": segment_time("hypervisor"),
    "service_time": segment_time("kernel_service"),
    "queue_time": segment_time("kernel_queue"),
    "kernel_time": "all_kernel_time",
    "kernel_lower": "all_kernel_lower",
    "san_time": "all_san_time",
    "array_time": "all_array_time",
    "qos_time": segment_time("array_qos"),
    "in_flight_time": IN_FLIGHT,
    "outstanding_s": "outstanding_s",
    "depth": "queue_depth",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseMinutes:
    """n minutes of disks, devices and volumes, by key, then by time.

    starts_us: (n,) µs since 1970; keys: (n,) `scope_key`. columns, (n,) each: ops and bytes, `*_time` as I/O-time in µs × ops,
    `outstanding_s` in I/Os × seconds, `depth` in I/Os; NaN where not measured.
    """

    starts_us: Int64Array
    keys: Int64Array
    columns: Mapping[str, Floats]


def cause_minutes(
    connection: Connection, keys: Sequence[int], stamps: Sequence[datetime], storage: Storage
) -> CauseMinutes:
    """Of these keys, leaves or not, in the minutes that begin at `stamps`."""
    if not keys or not stamps:
        return CauseMinutes(
            starts_us=np.empty(0, dtype=np.int64),
            keys=np.empty(0, dtype=np.int64),
            columns={name: np.empty(0) for name in _MINUTE_COLUMNS},
        )
    columns = ", ".join(f"({sql})::float8 AS {name}" for name, sql in _MINUTE_COLUMNS.items())
    names = packed.named_in(LEDGER, columns)
    parts = " UNION ALL ".join(
        f"SELECT ts, entity_id, {columns} FROM {packed.rows(series, names, of=packed.of_any('CAST(:keys AS int[])'))} m"
        " WHERE ts = ANY(CAST(:stamps AS timestamptz[]))"
        for series in _tables(keys)
    )
    kinds: dict[str, ColumnType] = {"ts": "us", "entity_id": "i8"}
    found = fetch(
        connection,
        storage.pruned(f"{parts} ORDER BY entity_id, ts", min(stamps)),
        {"keys": int_array(keys), "stamps": list(stamps), "lo": min(stamps), "hi": max(stamps)},
        kinds | dict.fromkeys(_MINUTE_COLUMNS, "f8"),
    )
    return CauseMinutes(
        starts_us=found["ts"], keys=found["entity_id"], columns={name: found[name] for name in _MINUTE_COLUMNS}
    )


def _tables(keys: Sequence[int]) -> Iterator[RawSeries]:
    if min(keys) < FIRST_PARENT:
        yield LEDGER_LEAVES
    if max(keys) >= FIRST_PARENT:
        yield LEDGER
