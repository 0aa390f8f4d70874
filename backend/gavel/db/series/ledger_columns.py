"""The columns of the ledger, in order: one list for its tables and roll-ups, its writer and its reader.

Every number is `real`, NULL where it was not measured. Ops of a part (segment or span) are NULL beside a time that holds all ops of its
direction, which is the common case: a leaf stores none. Roll-ups hold them in full, since over time a part may miss some minutes.
"""

from collections.abc import Iterator, Mapping

from gavel.db.series.measures import Partial
from gavel.domain.io_path import SPANS, Direction, Layer, Segment

_DIRECTIONS = tuple(direction.name.lower() for direction in Direction)
_SEGMENTS = tuple(segment.name.lower() for segment in Segment)
# By first and last layer.
SPAN_NAMES: Mapping[tuple[Layer, Layer], str] = {
    (first, last): "_".join(layer.name.lower() for layer in Layer if first <= layer <= last) for first, last in SPANS
}

FLAGS = ("reasons", "quality_reasons")
OPS = ("read_ops", "write_ops")
BYTES = ("read_bytes", "write_bytes")
# The segments of "all" are the sums of both directions; spans of "all" have bounds of their own.
SEGMENT_PARTS = ("time", "ops")
SEGMENTS = tuple(f"{d}_{s}_{part}" for d in _DIRECTIONS[: Direction.ALL] for s in _SEGMENTS for part in SEGMENT_PARTS)
SPAN_COUNT = len(SPANS)
SPAN_PARTS = ("time", "lower", "upper", "ops")
SPAN_COLUMNS = tuple(f"{d}_{s}_{part}" for d in _DIRECTIONS for s in SPAN_NAMES.values() for part in SPAN_PARTS)
OUTERMOST = tuple(f"{d}_outermost_lower" for d in _DIRECTIONS)
WORST = ("disagreement_us", "offset_error_s", "queue_depth")
SUMMED_NOTES = ("missing_s", "device_ops", "array_ops", "outstanding_s")

REALS = (*OPS, *BYTES, *SEGMENTS, *SPAN_COLUMNS, *OUTERMOST, *WORST, *SUMMED_NOTES)
# What diagnoses and rankings look at: reads and writes together, by layer.
LAYERS = (
    tuple(name for name in REALS if name not in SEGMENTS and not name.startswith(("read_", "write_"))) + OPS + BYTES
)
# What a line of latency over time is drawn from: the time of reads and writes together, by layer, without its bounds.
TIMES = tuple(name for name in LAYERS if name.startswith("all_") and name.endswith(("_time", "_ops"))) + OPS
# The same as LAYERS, with what virtual disks have above the devices that they are on.
_ABOVE = ("guest_queue", "hypervisor")
ABOVE = LAYERS + tuple(
    f"{d}_{s}_{part}" for d in _DIRECTIONS[: Direction.ALL] for s in _ABOVE for part in SEGMENT_PARTS
)
# SQL type of each column of a 1-minute table; `ts` is the start of the minute, `entity_id` a scope's key.
TYPES: Mapping[str, str] = (
    {"ts": "timestamptz NOT NULL", "entity_id": "integer NOT NULL"}
    | dict.fromkeys(FLAGS, "integer NOT NULL")
    | dict.fromkeys(REALS, "real")
)

_WHOLE = {
    "read": "read_ops",
    "write": "write_ops",
    "all": "coalesce(read_ops, 0) + coalesce(write_ops, 0)",
}


def whole_ops(column: str) -> str | None:
    """For the ops of a part: SQL for the ops of its direction, which NULL stands for in a 1-minute row."""
    if column in OPS or not column.endswith("_ops") or column in SUMMED_NOTES:
        return None
    return _WHOLE[column.split("_", 1)[0]]


def _partials() -> Iterator[Partial]:
    yield Partial("minutes", "count(*)::int", "sum(minutes)::int", "integer")
    for name in FLAGS:
        yield Partial(name, f"bit_or({name})", f"bit_or({name})", "integer")
    for name in REALS:
        if name in WORST:
            yield Partial(name, f"max({name})", f"max({name})", "real")
        else:
            yield _sum(name)


def _sum(name: str) -> Partial:
    """Summed in float8, whatever it is stored in."""
    of_partials = f"(sum({name}::float8))::real"
    whole = whole_ops(name)
    if whole is None:
        return Partial(name, of_partials, of_partials, "real")
    time = name.removesuffix("ops") + "time"
    of_rows = f"(sum(coalesce({name}, {whole})::float8) FILTER (WHERE {time} IS NOT NULL))::real"
    return Partial(name, of_rows, of_partials, "real")


# What a roll-up keeps besides `entity_id` and `bucket`, in order.
PARTIALS = tuple(_partials())


def _minutes_with(name: str, number: str) -> Partial:
    return Partial(name, f"(count({number}))::int", f"(sum({name}))::int", "integer")


# Minutes of a bucket in which a number was measured at all, in a roll-up of their own: by them means over time are told.
MEASURED = {"ops_minutes": "coalesce(read_ops, write_ops)", "outstanding_minutes": "outstanding_s"}
MEASURED_PARTIALS = (
    Partial("minutes", "(count(*))::int", "(sum(minutes))::int", "integer"),
    *(_minutes_with(name, number) for name, number in MEASURED.items()),
)
