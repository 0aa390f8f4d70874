"""Samples, the ledger and their roll-ups as SQLAlchemy tables, for queries. Created by `plain` or `timescale`, not from here.

Their MetaData is their own, since on TimescaleDB a roll-up is a view.
"""

from collections.abc import Mapping

from sqlalchemy import REAL, BigInteger, Column, DateTime, Double, Integer, MetaData, Table

from gavel.db.series.catalog import RAWS, ROLLS, SAMPLES, RawSeries, Roll
from gavel.domain.source import Stream

series_metadata = MetaData()

_TYPES: Mapping[str, type[Integer | BigInteger | REAL[float] | Double[float]]] = {
    "integer": Integer,
    "bigint": BigInteger,
    "real": REAL,
    "double precision": Double,
}


def _column(name: str, sql_type: str, *, key: bool) -> Column[object]:
    base = sql_type.removesuffix(" NOT NULL")
    python_type = DateTime(timezone=True) if base == "timestamptz" else _TYPES[base]()
    return Column(name, python_type, primary_key=key, nullable=base == sql_type and not key, autoincrement=False)


def _raw_table(raw: RawSeries) -> Table:
    columns = (_column(name, sql_type, key=name in ("entity_id", raw.time)) for name, sql_type in raw.columns.items())
    return Table(raw.name, series_metadata, *columns)


def _roll_table(roll: Roll) -> Table:
    types = {"entity_id": "integer", roll.time: "timestamptz"} | {p.name: p.sql_type for p in roll.partials}
    return Table(
        roll.name, series_metadata, *(_column(n, t, key=n in ("entity_id", roll.time)) for n, t in types.items())
    )


RAW_TABLES: Mapping[str, Table] = {raw.name: _raw_table(raw) for raw in RAWS.values()}
ROLL_TABLES: Mapping[str, Table] = {roll.name: _roll_table(roll) for roll in ROLLS.values()}
SAMPLE_TABLES: Mapping[Stream, Table] = {stream: RAW_TABLES[raw.name] for stream, raw in SAMPLES.items()}
