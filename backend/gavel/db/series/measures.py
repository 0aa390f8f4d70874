"""How each kind of sample column adds up: the partial sums that roll-ups keep and readers merge, as SQL expressions.

A column is of one of four kinds, and has these partials (all mergeable, so any level can be built on any other):

  count  `*_ops`, `*_bytes`, aborts …  c = Σ value,         c_s = seconds in which it was measured     rate = c / c_s
  time   `*_us`                        c_sum = Σ µs·ops,    c_ops = ops with a measured time, c_max    mean = c_sum / c_ops
  level  depth, queued, outstanding    c_sum = Σ value·s,   c_s, c_min, c_max                          mean = c_sum / c_s
  code   `precision`                   c_min, c_max

A time without operations says nothing and enters no partial; a value that was not measured enters none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF, ColumnKind, SampleColumn


@dataclass(frozen=True, slots=True)
class Partial:
    """A mergeable aggregate: how it is made from samples, how from partials of the same name, and its type when stored."""

    name: str
    of_samples: str
    of_partials: str
    sql_type: str


# Of every first roll-up of a stream: rows, and seconds that they cover.
COMMON = (
    Partial("n", "count(*)::int", "sum(n)::int", "integer"),
    Partial("covered_s", "sum(interval_s)::int", "sum(covered_s)::int", "integer"),
)


def partials(columns: Iterable[SampleColumn]) -> tuple[Partial, ...]:
    """The sums that roll-ups keep of these columns, in order."""
    return tuple(partial for column in columns for partial in _PARTIALS[column.kind](column))


def _count(column: SampleColumn) -> Iterable[Partial]:
    c = column.name
    yield _sum(c, f"{c}::float8", "bigint")
    yield _sum(f"{c}_s", f"interval_s) FILTER (WHERE {c} IS NOT NULL", "integer")


def _time(column: SampleColumn) -> Iterable[Partial]:
    c, ops = column.name, column.weight
    yield _sum(f"{c}_sum", f"{c}::float8 * {ops}) FILTER (WHERE {ops} > 0", "double precision")
    yield _sum(f"{c}_ops", f"{ops}) FILTER (WHERE {ops} > 0 AND {c} IS NOT NULL", "bigint")
    yield Partial(f"{c}_max", f"max({c}) FILTER (WHERE {ops} > 0)", f"max({c}_max)", "integer")


def _level(column: SampleColumn) -> Iterable[Partial]:
    c = column.name
    yield _sum(f"{c}_sum", f"{c}::bigint * interval_s", "bigint")
    yield _sum(f"{c}_s", f"interval_s) FILTER (WHERE {c} IS NOT NULL", "integer")
    yield from _code(column)


def _code(column: SampleColumn) -> Iterable[Partial]:
    c = column.name
    yield Partial(f"{c}_min", f"min({c})", f"min({c}_min)", "integer")
    yield Partial(f"{c}_max", f"max({c})", f"max({c}_max)", "integer")


def _sum(name: str, argument: str, sql_type: str) -> Partial:
    """A sum in its stored type. `argument` may close the parenthesis for a FILTER. Big sums run in float8, exact up to 2⁵³."""
    of_partials = f"{name}::float8" if sql_type == "bigint" else name
    return Partial(name, f"(sum({argument}))::{sql_type}", f"(sum({of_partials}))::{sql_type}", sql_type)


_PARTIALS = {ColumnKind.COUNT: _count, ColumnKind.TIME: _time, ColumnKind.LEVEL: _level, ColumnKind.CODE: _code}


def sample_types(stream: Stream) -> Mapping[str, str]:
    """SQL type of each column of a sample table, key and stamp first; every other one may be NULL: not measured."""
    fixed = {"ts": "timestamptz NOT NULL", "entity_id": "integer NOT NULL", "interval_s": "integer NOT NULL"}
    return fixed | {c.name: "bigint" if c.unit == "bytes/s" else "integer" for c in COLUMNS_OF[stream]}
