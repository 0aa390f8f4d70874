"""Pieces of DDL that both modes write alike."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from gavel.db.series.catalog import RawSeries, Roll


def raw_columns(raw: RawSeries) -> str:
    columns = ", ".join(f"{name} {sql_type}" for name, sql_type in raw.columns.items())
    return f"{columns}, CONSTRAINT pk_{raw.name} PRIMARY KEY (entity_id, {raw.time})"


def interval(width: timedelta) -> str:
    return f"INTERVAL '{int(width.total_seconds())} seconds'"


def instant(at: datetime) -> str:
    return f"TIMESTAMPTZ '{at.isoformat()}'"


def aggregates(roll: Roll) -> str:
    return ", ".join(f"{roll.aggregate(partial)} AS {partial.name}" for partial in roll.partials)


def comma(names: Iterable[str]) -> str:
    return ", ".join(names)
