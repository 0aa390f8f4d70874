"""Rows of a closed partition in short: one row per entity with an array per column, as a columnstore has them. Emits SQL.

What is packed is in `<series>_packed`, in partitions of the same times; a row is either there or in the series itself. The tables exist in
both modes, so that questions are the same text; on TimescaleDB, which has a columnstore, they stay empty.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gavel.db.series import codes, ledger_columns, plain
from gavel.db.series.catalog import EPOCH, ROLLS, Mode, Roll
from gavel.db.series.codes import CodeRounding
from gavel.db.series.ddl import comma, instant, interval
from gavel.db.series.plain import Partition

PACKED: Mapping[str, Roll] = ROLLS
_SUFFIX = "_packed"
# Of an I/O-time in µs a sixteenth is kept; of a clock's error in seconds a tenth of a millisecond.
_SCALES = {"offset_error_s": 10_000}
_SCALE_OF_REALS = 16
_ROUNDING = {"_lower": CodeRounding.DOWN, "_upper": CodeRounding.UP}


@dataclass(frozen=True, slots=True)
class PackedColumn:
    """A column as an array. scale: its numbers are coded (`codes`), times this; None: kept as they are.

    same_as: another column that nearly always holds the same numbers: where it does there is NULL, and a code of its own for not measured;
    the array is empty where nothing was measured at all.
    """

    name: str
    sql_type: str
    scale: int | None
    rounding: CodeRounding
    same_as: str | None

    @property
    def array_type(self) -> str:
        return f"{self.sql_type if self.scale is None else 'smallint'}[]"

    def element(self) -> str:
        if self.scale is None:
            return self.name
        code = codes.encoded(self.name, self.scale, self.rounding)
        if self.same_as is None:
            return code
        return (
            f"CASE WHEN {self.name} IS NOT DISTINCT FROM {self.same_as} THEN NULL"
            f" WHEN {self.name} IS NULL THEN {codes.NOT_MEASURED} ELSE {code} END"
        )

    def value(self, other: "PackedColumn | None") -> str:
        """The number of a row `u` of elements. other: the column that it is the same as."""
        if self.scale is None:
            return f"u.{self.name}"
        number = codes.decoded(f"u.{self.name}", self.scale, self.sql_type)
        if other is None:
            return number
        return f"CASE WHEN u.{self.name} IS NULL THEN {other.value(None)} WHEN u.{self.name} <> {codes.NOT_MEASURED} THEN {number} END"


def columns(series: Roll) -> Mapping[str, PackedColumn]:
    """Of each column but key and time, in order."""
    return _COLUMNS[series.name]


def _columns(series: Roll) -> Mapping[str, PackedColumn]:
    types = {partial.name: partial.sql_type for partial in series.partials}
    return {name: _column(name, sql_type, list(types)) for name, sql_type in types.items()}


def _column(name: str, sql_type: str, names: Sequence[str]) -> PackedColumn:
    scale = None if name in ledger_columns.FLAGS else _SCALES.get(name, _SCALE_OF_REALS if sql_type == "real" else 1)
    rounding = next((rounding for end, rounding in _ROUNDING.items() if name.endswith(end)), CodeRounding.NEAREST)
    return PackedColumn(name, sql_type, scale, rounding, _same_as(name, sql_type, names))


def _same_as(name: str, sql_type: str, names: Sequence[str]) -> str | None:
    """Of seconds in which a number was measured: those that the row covers. Of ops with a time: the ops of its direction."""
    if name.endswith("_s") and sql_type == "integer" and "covered_s" in names:
        return None if name == "covered_s" else "covered_s"
    if not name.endswith("_ops") or name in ledger_columns.SUMMED_NOTES:
        return None
    direction = max((d for d in ("read", "write", "mirrored_write", "all") if name.startswith(f"{d}_")), key=len)
    # There is no column of the ops of all directions: the first of their parts stands for the others.
    first = next(other for other in names if other.startswith(f"{direction}_") and other.endswith("_ops"))
    return None if name == first else first


_COLUMNS = {name: _columns(series) for name, series in PACKED.items()}


def parent(series: Roll) -> str:
    return f"{series.name}{_SUFFIX}"


def partition_of(partition: Partition) -> Partition:
    """The packed one of the same times."""
    return Partition(f"{partition.parent}{_SUFFIX}", partition.lo, partition.hi)


def partition_with_rows(series: Roll, partition: Partition) -> Partition:
    """The other way round."""
    return Partition(series.name, partition.lo, partition.hi)


def partition_named(series: Roll, name: str) -> Partition:
    return partition_of(plain.partition_named(series, name.replace(parent(series), series.name, 1)))


def create(series: Roll) -> str:
    arrays = comma(f"{column.name} {column.array_type}" for column in columns(series).values())
    return (
        f"CREATE TABLE {parent(series)} (entity_id integer NOT NULL, lo timestamptz NOT NULL, at smallint[] NOT NULL, {arrays},"
        f" CONSTRAINT pk_{parent(series)} PRIMARY KEY (entity_id, lo)) PARTITION BY RANGE (lo)"
    )


# --- in and out -------------------------------------------------------------------------------------------------------


def pack(series: Roll, partition: Partition) -> str:
    """All rows of a partition into the packed one of its times."""
    arrays = ", ".join(_array(column) for column in columns(series).values())
    step = f"extract(epoch FROM {series.time} - {instant(partition.lo)}) / {series.width.total_seconds():.0f}"
    return (
        f"INSERT INTO {partition_of(partition).name} (entity_id, lo, at, {comma(columns(series))})"
        f" SELECT entity_id, {instant(partition.lo)}, array_agg(floor({step})::smallint), {arrays}"
        f" FROM (SELECT * FROM {partition.name} ORDER BY entity_id, {series.time}) rows GROUP BY entity_id ORDER BY entity_id"
    )


def _array(column: PackedColumn) -> str:
    element = column.element()
    filled = f"WHEN count({element}) > 0 THEN array_agg({element})"
    absent = (
        "" if column.same_as is None else f"WHEN count({column.name}) = 0 AND count({column.same_as}) > 0 THEN '{{}}' "
    )
    return f"CASE {absent}{filled} END"


def unpack(series: Roll, partition: Partition) -> Iterator[str]:
    """All rows of a packed partition back to the one of its times, which is there and empty."""
    names = list(columns(series))
    source = _unpacked(series, names, f"p.lo = {instant(partition.lo)}")
    yield (
        f"INSERT INTO {partition.name} (entity_id, {series.time}, {comma(names)})"
        f" SELECT entity_id, {series.time}, {comma(names)} FROM ({source}) rows ORDER BY entity_id, {series.time}"
    )
    yield f"DELETE FROM {partition_of(partition).name}"


# --- questions --------------------------------------------------------------------------------------------------------


def rows(series: Roll, names: Sequence[str], *, keys: str, lo: str, hi: str) -> str:
    """SQL of the rows of some entities from `lo` to `hi`, both included: entity_id, time and `names`, packed or not.

    keys: SQL of an array of ids. lo, hi: SQL of instants.
    """
    time = series.time
    wanted, within = comma(("entity_id", time, *names)), f"{time} >= {lo} AND {time} <= {hi}"
    limits = f"p.entity_id = ANY({keys}) AND p.lo > {lo} - {_chunk(series)} AND p.lo <= {hi}"
    return (
        f"(SELECT {wanted} FROM {series.name} WHERE entity_id = ANY({keys}) AND {within}"
        f" UNION ALL SELECT {wanted} FROM ({_unpacked(series, names, limits)}) unpacked WHERE {within})"
    )


def newest(series: Roll, *, keys: str, lo: str, hi: str) -> str:
    """SQL of the newest bucket of some entities from `lo` on and before `hi`, or NULL."""
    time = series.time
    last = f"date_bin({interval(series.width)}, {hi} - INTERVAL '1 microsecond', {instant(series.origin)})"
    ends = _time(series, "p.lo", "p.at[array_upper(p.at, 1)]")
    return (
        f"(SELECT max(newest) FROM (SELECT max({time}) AS newest FROM {series.name}"
        f" WHERE entity_id = ANY({keys}) AND {time} >= {lo} AND {time} < {hi}"
        f" UNION ALL SELECT least({ends}, {last}) FROM {parent(series)} p"
        f" WHERE p.entity_id = ANY({keys}) AND p.lo > {lo} - {_chunk(series)} AND p.lo < {hi}) either WHERE newest >= {lo})"
    )


def _unpacked(series: Roll, names: Sequence[str], where: str) -> str:
    """Arrays are taken apart in the list of columns, side by side: as a table in FROM they take twice the time."""
    every = columns(series)
    others = {name: every[other] for name in names if (other := every[name].same_as) is not None}
    needed = dict.fromkeys([*names, *(other.name for other in others.values())])
    arrays = "".join(f", unnest({_whole(every[name])}) AS {name}" for name in needed)
    values = "".join(f", {every[name].value(others.get(name))} AS {name}" for name in names)
    apart = f"SELECT p.entity_id, p.lo, unnest(p.at) AS at{arrays} FROM {parent(series)} p WHERE {where}"
    return f"SELECT u.entity_id, {_time(series, 'u.lo', 'u.at')} AS {series.time}{values} FROM ({apart}) u"


def _whole(column: PackedColumn) -> str:
    if column.same_as is None:
        return f"p.{column.name}"
    absent = f"array_fill(({codes.NOT_MEASURED})::smallint, ARRAY[cardinality(p.at)])"
    return f"CASE WHEN p.{column.name} = '{{}}' THEN {absent} ELSE p.{column.name} END"


def _time(series: Roll, lo: str, number: str) -> str:
    start = lo if series.origin == EPOCH else f"{lo} + {_offset(series)}"
    return f"({start} + {number} * {interval(series.width)})"


def _offset(series: Roll) -> str:
    """How far its buckets are from the limits of partitions."""
    return f"INTERVAL '{(series.origin - EPOCH).microseconds} microseconds'"


def _chunk(series: Roll) -> str:
    return interval(series.chunk[Mode.PLAIN])
