"""Partitions of plain PostgreSQL as they are in the catalogue: which exist, making and dropping them."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, Engine, text

from gavel.db.engine import transaction
from gavel.db.locks import wait_for_lock
from gavel.db.series import plain
from gavel.db.series.catalog import RawSeries, Roll
from gavel.db.series.plain import Partition

_EXISTING = text("""
    SELECT child.relname FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = to_regclass(:parent) ORDER BY 1
""")


def existing(connection: Connection, series: RawSeries | Roll) -> list[Partition]:
    """Oldest first."""
    names = connection.scalars(_EXISTING, {"parent": series.name})
    return [plain.partition_named(series, name) for name in names]


def missing(connection: Connection, series: RawSeries | Roll, wanted: Iterable[Partition]) -> list[Partition]:
    there = {partition.name for partition in existing(connection, series)}
    return [partition for partition in wanted if partition.name not in there]


_ABSENT = text("SELECT name FROM unnest(CAST(:names AS text[])) name WHERE to_regclass(name) IS NULL")


def absent(connection: Connection, wanted: Iterable[Partition]) -> bool:
    """Whether any of `wanted` is missing, by one look at the catalogue."""
    return connection.execute(_ABSENT, {"names": [partition.name for partition in wanted]}).first() is not None


def ensure(engine: Engine, series: RawSeries | Roll, wanted: Sequence[Partition]) -> int:
    """Make what is missing of `wanted`, in a short transaction of its own; returns how many were."""
    with transaction(engine) as connection:
        if not missing(connection, series, wanted):
            return 0
        wait_for_lock(connection, f"partitions of {series.name}")
        absent = missing(connection, series, wanted)
        for partition in absent:
            for statement in plain.create_partition(partition):
                connection.exec_driver_sql(statement)
        return len(absent)
