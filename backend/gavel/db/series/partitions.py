"""Partitions of plain PostgreSQL as they are in the catalogue: which exist, making them, and their rows in short and back."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, Engine, text

from gavel.db.engine import transaction
from gavel.db.locks import try_lock, wait_for_lock
from gavel.db.series import packed, plain
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


def existing_packed(connection: Connection, series: Roll) -> list[Partition]:
    """Those whose rows are, or were, in short; oldest first."""
    return [
        packed.partition_named(series, name)
        for name in connection.scalars(_EXISTING, {"parent": packed.parent(series)})
    ]


def missing(connection: Connection, series: RawSeries | Roll, wanted: Iterable[Partition]) -> list[Partition]:
    there = {partition.name for partition in existing(connection, series)}
    return [partition for partition in wanted if partition.name not in there]


_ABSENT = text("SELECT name FROM unnest(CAST(:names AS text[])) name WHERE to_regclass(name) IS NULL")


def absent(connection: Connection, wanted: Iterable[Partition]) -> bool:
    """Whether any of `wanted` is missing, by one look at the catalogue."""
    return connection.execute(_ABSENT, {"names": [partition.name for partition in wanted]}).first() is not None


def ensure(engine: Engine, series: RawSeries | Roll, wanted: Sequence[Partition]) -> int:
    """Make what is missing of `wanted`, in a short transaction of its own; returns how many were. Rows that are packed come back."""
    with transaction(engine) as connection:
        if not missing(connection, series, wanted):
            return 0
        wait_for_lock(connection, _lock(series))
        made = missing(connection, series, wanted)
        for partition in made:
            _make(connection, series, partition)
        return len(made)


def unpack_all(connection: Connection) -> None:
    """Within the caller's transaction: every row back to where the series has it."""
    for series in packed.PACKED.values():
        rows = [packed.partition_with_rows(series, short) for short in existing_packed(connection, series)]
        for partition in missing(connection, series, rows):
            _make(connection, series, partition)


def _make(connection: Connection, series: RawSeries | Roll, partition: Partition) -> None:
    for statement in plain.create_partition(partition):
        connection.exec_driver_sql(statement)
    if series.name in packed.PACKED and _is_there(connection, packed.partition_of(partition)):
        for statement in packed.unpack(packed.PACKED[series.name], partition):
            connection.exec_driver_sql(statement)


def pack(connection: Connection, series: Roll, partition: Partition) -> bool:
    """Within the caller's transaction: its rows in short, and the partition itself goes. False, at once, while others make partitions.

    Whoever reads goes on until the partition goes; whoever would write to it waits, and then makes it anew.
    """
    if not try_lock(connection, _lock(series)):
        return False
    short = packed.partition_of(partition)
    connection.exec_driver_sql(f"LOCK TABLE {partition.name} IN SHARE ROW EXCLUSIVE MODE")
    if not _is_there(connection, short):
        for statement in plain.create_partition(short):
            connection.exec_driver_sql(statement)
    connection.exec_driver_sql(packed.pack(series, partition))
    connection.exec_driver_sql(f"DROP TABLE {partition.name}")
    return True


def _is_there(connection: Connection, partition: Partition) -> bool:
    return not absent(connection, [partition])


def _lock(series: RawSeries | Roll) -> str:
    return f"partitions of {series.name}"
