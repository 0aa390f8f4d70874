"""Rows of a closed partition in short: one row per entity with an array per column, as a columnstore has them. Emits SQL.

What is packed is in `<series>_packed`, in partitions of the same times; a row is either there or in the series itself. The tables exist in
both modes, so that questions are the same text; on TimescaleDB, which has a columnstore, they stay empty. Only what writes to a partition
may read the series by itself, after `partitions.open_for_writing`: everything else asks for `rows`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from gavel.db.series import codes, ledger_columns, plain
from gavel.db.series.catalog import EPOCH, LEDGER, LEDGER_LEAVES, RAWS, ROLLS, Mode, RawSeries, Roll
from gavel.db.series.codes import CodeRounding
from gavel.db.series.ddl import aggregates, comma, instant, interval
from gavel.db.series.plain import Partition

Series = RawSeries | Roll
PACKED: Mapping[str, Series] = {**ROLLS, **RAWS}
_SUFFIX = "_packed"
_MINUTE, _MICROSECOND = timedelta(minutes=1), timedelta(microseconds=1)
_MINUTES = (LEDGER_LEAVES.name, LEDGER.name)
# Samples are stamped to the µs: an hour of them takes all of an integer, from its smallest on.
_FIRST = 2**31
# The usual names of the ends of what is asked for.
LO, HI = "CAST(:lo AS timestamptz)", "CAST(:hi AS timestamptz)"
# Bytes of a row from which on its columns are compressed: PostgreSQL leaves off at 2,000 by itself.
_COMPRESS_FROM = 512
# Around the half of a question that reads what is packed.
_SHORT, _END = "/*packed*/", "/*to here*/"
_SHORTS = re.compile(f"{re.escape(_SHORT)}.*?{re.escape(_END)}", re.DOTALL)
# Of an I/O-time in µs a sixteenth is kept; of a clock's error in seconds a tenth of a millisecond.
_SCALES = {"offset_error_s": 10_000}
_SCALE_OF_REALS = 16


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


def columns(series: Series) -> Mapping[str, PackedColumn]:
    """Of each column but key and time, in order."""
    return _COLUMNS[series.name]


def _columns(series: Series) -> Mapping[str, PackedColumn]:
    if isinstance(series, Roll):
        types = {partial.name: partial.sql_type for partial in series.partials}
        return {
            name: _column(name, sql_type, _same_as(name, sql_type, list(types))) for name, sql_type in types.items()
        }
    types = {
        name: sql_type.removesuffix(" NOT NULL")
        for name, sql_type in series.columns.items()
        if name not in ("entity_id", series.time)
    }
    if series.name in _MINUTES:
        return {name: _column(name, sql_type, _same_time(name, types)) for name, sql_type in types.items()}
    # Samples are kept as they came: what is found to be wrong with a minute later is calculated from them anew.
    return {name: PackedColumn(name, sql_type, None, CodeRounding.NEAREST, None) for name, sql_type in types.items()}


def _column(name: str, sql_type: str, same_as: str | None) -> PackedColumn:
    scale = None if name in ledger_columns.FLAGS else _SCALES.get(name, _SCALE_OF_REALS if sql_type == "real" else 1)
    return PackedColumn(name, sql_type, scale, codes.rounding_of(name), same_as)


def _same_time(name: str, names: Mapping[str, str]) -> str | None:
    """Of a bound in a minute: the estimate, which is measured exactly as often as not."""
    part, _, _ = name.rpartition("_")
    return time if codes.is_bound(name) and (time := f"{part}_time") in names else None


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


def parent(series: Series) -> str:
    return f"{series.name}{_SUFFIX}"


def partition_of(partition: Partition) -> Partition:
    """The packed one of the same times."""
    return Partition(f"{partition.parent}{_SUFFIX}", partition.lo, partition.hi)


def has_rows(partition: Partition) -> str:
    """Of a packed partition that is there."""
    return f"SELECT EXISTS (SELECT FROM {partition.name})"


def partition_named(series: Series, name: str) -> Partition:
    return partition_of(plain.partition_named(series, name.replace(parent(series), series.name, 1)))


def create(series: Series) -> str:
    at = "smallint" if _step(series) > _MICROSECOND else "integer"
    storage = " STORAGE MAIN" if isinstance(series, RawSeries) else ""
    arrays = comma(f"{column.name} {column.array_type}{storage}" for column in columns(series).values())
    return (
        f"CREATE TABLE {parent(series)} (entity_id integer NOT NULL, lo timestamptz NOT NULL, at {at}[]{storage} NOT NULL, {arrays},"
        f" CONSTRAINT pk_{parent(series)} PRIMARY KEY (entity_id, lo)) PARTITION BY RANGE (lo)"
    )


def stay_with_row(series: Series) -> str:
    """Its columns are compressed and stay in their row while that fits a page: apart, each takes 50 bytes more and a page of its own."""
    every = ("at", *columns(series))
    return f"ALTER TABLE {parent(series)} {comma(f'ALTER COLUMN {name} SET STORAGE MAIN' for name in every)}"


def create_partition(partition: Partition) -> Iterator[str]:
    """The packed one, made beside its parent and attached."""
    yield f"CREATE TABLE {partition.name} (LIKE {partition.parent} INCLUDING ALL) WITH (toast_tuple_target = {_COMPRESS_FROM})"
    yield plain.attach(partition)


# --- in and out -------------------------------------------------------------------------------------------------------


def pack(series: Series, partition: Partition) -> str:
    """All rows of a partition into the packed one of its times, which is empty."""
    arrays = ", ".join(_array(column) for column in columns(series).values())
    return (
        f"INSERT INTO {partition_of(partition).name} (entity_id, lo, at, {comma(columns(series))})"
        f" SELECT entity_id, {instant(partition.lo)}, array_agg({_number(series, partition)}), {arrays}"
        f" FROM (SELECT * FROM {partition.name} ORDER BY entity_id, {series.time}) rows GROUP BY entity_id ORDER BY entity_id"
    )


def _number(series: Series, partition: Partition) -> str:
    """Of a row: which step of its partition it is of, or that has its stamp."""
    after_s = f"extract(epoch FROM {series.time} - {instant(partition.lo)})"
    if _step(series) == _MICROSECOND:
        return f"({after_s} * 1000000 - {_FIRST})::integer"
    return f"floor({after_s} / {_step(series).total_seconds():.0f})::smallint"


def _array(column: PackedColumn) -> str:
    element = column.element()
    if column.same_as is None:
        return f"CASE WHEN count({column.name}) > 0 THEN array_agg({element}) END"
    absent = f"WHEN count({column.name}) = 0 AND count({column.same_as}) > 0 THEN '{{}}'"
    differs = f"bool_or({column.name} IS DISTINCT FROM {column.same_as})"
    return f"CASE {absent} WHEN {differs} THEN array_agg({element}) END"


def unpack(series: Series, partition: Partition) -> Iterator[str]:
    """All rows of a packed partition back to the one of its times, which is there and empty."""
    names = list(columns(series))
    source = _unpacked(series, names, f"short.lo = {instant(partition.lo)}")
    yield (
        f"INSERT INTO {partition.name} (entity_id, {series.time}, {comma(names)})"
        f" SELECT entity_id, {series.time}, {comma(names)} FROM ({source}) rows ORDER BY entity_id, {series.time}"
    )
    yield f"DELETE FROM {partition_of(partition).name}"


# --- questions --------------------------------------------------------------------------------------------------------


def named_in(series: Series, *sql: str) -> Sequence[str]:
    """Those of its columns, but key and time, that are named in `sql`: what is not read is not unpacked."""
    words = set(re.findall(r"\w+", " ".join(sql)))
    return [name for name in columns(series) if name in words]


def rows(series: Series, names: Sequence[str], *, of: str, lo: str = LO, hi: str = HI) -> str:
    """SQL of the rows of some entities from `lo` to `hi`, both included: entity_id, time and `names`, packed or not.

    of: a condition on `entity_id`, by which both are found; in a LATERAL one of the row beside it. lo, hi: SQL of instants. Partitions
    are chosen before the question runs only by parameters as they are: what is a µs or an hour from one reads the catalogue of all.
    """
    time = series.time
    wanted, within = comma(("entity_id", time, *names)), f"{time} >= {lo} AND {time} <= {hi}"
    limits = f"{of} AND short.lo >= {_floor(series, lo)} AND short.lo <= {hi}"
    return (
        f"(SELECT {wanted} FROM {series.name} WHERE {of} AND {within}"
        f"{_SHORT} UNION ALL SELECT {wanted} FROM ({_unpacked(series, names, limits)}) unpacked WHERE {within}{_END})"
    )


@lru_cache(maxsize=256)
def without_packed(sql: str) -> str:
    """A question that has `rows` in it, for times of which nothing is packed (`modes.Storage.pruned`)."""
    return _SHORTS.sub("", sql)


def roll_window(roll: Roll, lo: datetime, hi: datetime) -> str:
    """Recompute the buckets of [lo, hi), which are bucket limits, of a partition that rows may be written to. Again it changes nothing.

    A bucket begins a µs after a partition does: one late sample may belong with those of an hour that is packed.
    """
    names = [partial.name for partial in roll.partials]
    bucket = f"date_bin({interval(roll.width)}, {roll.source_time}, {instant(roll.origin)})"
    made = aggregates(roll)
    source = PACKED[roll.source]
    ends = {"lo": instant(lo), "hi": instant(hi - _MICROSECOND)}
    return (
        f"INSERT INTO {roll.name} (entity_id, {roll.time}, {comma(names)}) SELECT entity_id, {bucket}, {made}"
        f" FROM {rows(source, named_in(source, made), of='true', **ends)} source GROUP BY 1, 2 ORDER BY 1, 2"
        f" ON CONFLICT (entity_id, {roll.time}) DO UPDATE SET {comma(f'{name} = EXCLUDED.{name}' for name in names)}"
    )


def of_any(keys: str) -> str:
    """The condition of `rows` for the SQL of an array of ids."""
    return f"entity_id = ANY({keys})"


def newest(series: Roll, *, keys: str, lo: str, hi: str) -> str:
    """SQL of the newest bucket of some entities from `lo` on and before `hi`, or NULL."""
    time = series.time
    last = f"date_bin({interval(series.width)}, {hi} - INTERVAL '1 microsecond', {instant(series.origin)})"
    ends = _time(series, "short.lo", "short.at[array_upper(short.at, 1)]")
    return (
        f"(SELECT max(newest) FROM (SELECT max({time}) AS newest FROM {series.name}"
        f" WHERE {of_any(keys)} AND {time} >= {lo} AND {time} < {hi}"
        f" UNION ALL SELECT least({ends}, {last}) FROM {parent(series)} short"
        f" WHERE {of_any(keys)} AND short.lo >= {_floor(series, lo)} AND short.lo < {hi}) either WHERE newest >= {lo})"
    )


def _unpacked(series: Series, names: Sequence[str], where: str) -> str:
    """Arrays are taken apart in the list of columns, side by side: as a table in FROM they take twice the time."""
    every = columns(series)
    others = {name: every[other] for name in names if (other := every[name].same_as) is not None}
    needed = dict.fromkeys([*names, *(other.name for other in others.values())])
    arrays = "".join(f", unnest({_whole(every[name])}) AS {name}" for name in needed)
    values = "".join(f", {every[name].value(others.get(name))} AS {name}" for name in names)
    apart = (
        f"SELECT short.entity_id, short.lo, unnest(short.at) AS at{arrays} FROM {parent(series)} short WHERE {where}"
    )
    return f"SELECT u.entity_id, {_time(series, 'u.lo', 'u.at')} AS {series.time}{values} FROM ({apart}) u"


def _whole(column: PackedColumn) -> str:
    if column.same_as is None:
        return f"short.{column.name}"
    absent = f"array_fill(({codes.NOT_MEASURED})::smallint, ARRAY[cardinality(short.at)])"
    return f"CASE WHEN short.{column.name} = '{{}}' THEN {absent} ELSE short.{column.name} END"


def _time(series: Series, lo: str, number: str) -> str:
    if _step(series) == _MICROSECOND:
        return f"({lo} + ({number}::bigint + {_FIRST}) * INTERVAL '1 microsecond')"
    start = f"{lo} + {_offset(series)}" if isinstance(series, Roll) and series.origin != EPOCH else lo
    return f"({start} + {number} * {interval(_step(series))})"


def _step(series: Series) -> timedelta:
    """What stamps are counted in: one bucket, one minute, or as finely as they are kept."""
    if isinstance(series, Roll):
        return series.width
    return _MINUTE if series.name in _MINUTES else _MICROSECOND


def _offset(series: Roll) -> str:
    """How far its buckets are from the limits of partitions."""
    return f"INTERVAL '{(series.origin - EPOCH).microseconds} microseconds'"


def _floor(series: Series, at: str) -> str:
    """Begin of the partition of an instant. Plain arithmetic with intervals would not be done before a question is planned; this is."""
    return f"date_bin({interval(series.chunk[Mode.PLAIN])}, {at}, {instant(EPOCH)})"
