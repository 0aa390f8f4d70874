"""Partitions of plain PostgreSQL as they are in the catalogue: which exist, making them, and their rows in short and back.

A partition stays when its rows are packed, and is empty then: whoever reads both has both in their plan, and sees each row once. Whoever
writes calls `open_for_writing` in the same transaction first, and packing waits for that.
"""

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
_FILLED = text("""
    SELECT child.relname FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = to_regclass(:parent) AND pg_relation_size(child.oid) > 0 ORDER BY 1
""")


def existing(connection: Connection, series: RawSeries | Roll) -> list[Partition]:
    """Oldest first."""
    names = connection.scalars(_EXISTING, {"parent": series.name})
    return [plain.partition_named(series, name) for name in names]


def filled(connection: Connection, series: RawSeries | Roll) -> list[Partition]:
    """Those with rows of their own, oldest first; neither new ones nor packed ones."""
    names = connection.scalars(_FILLED, {"parent": series.name})
    return [plain.partition_named(series, name) for name in names]


def existing_packed(connection: Connection, series: RawSeries | Roll) -> list[Partition]:
    """Those whose rows are, or were, in short; oldest first."""
    return [
        packed.partition_named(series, name)
        for name in connection.scalars(_EXISTING, {"parent": packed.parent(series)})
    ]


def missing(connection: Connection, series: RawSeries | Roll, wanted: Iterable[Partition]) -> list[Partition]:
    there = {partition.name for partition in existing(connection, series)}
    return [partition for partition in wanted if partition.name not in there]


_ABSENT = text("SELECT name FROM unnest(CAST(:names AS text[])) name WHERE to_regclass(name) IS NULL")
_THERE = text("SELECT name FROM unnest(CAST(:names AS text[])) name WHERE to_regclass(name) IS NOT NULL")


def absent(connection: Connection, wanted: Iterable[Partition]) -> bool:
    """Whether any of `wanted` is missing, by one look at the catalogue."""
    return connection.execute(_ABSENT, {"names": [partition.name for partition in wanted]}).first() is not None


def ensure(engine: Engine, series: RawSeries | Roll, wanted: Sequence[Partition]) -> int:
    """Make what is missing of `wanted`, in a short transaction of its own; returns how many were."""
    with transaction(engine) as connection:
        if not missing(connection, series, wanted):
            return 0
        wait_for_lock(connection, _lock(series))
        made = missing(connection, series, wanted)
        for partition in made:
            for statement in plain.create_partition(partition):
                connection.exec_driver_sql(statement)
        return len(made)


def open_for_writing(connection: Connection, series: RawSeries | Roll, wanted: Sequence[Partition]) -> None:
    """In the transaction that writes to them, before it does: they are there, their rows are in them, and stay so until it ends."""
    if absent(connection, wanted):
        ensure(connection.engine, series, wanted)
    names = ", ".join(partition.name for partition in wanted)
    connection.exec_driver_sql(f"LOCK TABLE {names} IN ROW EXCLUSIVE MODE")
    if packed_of(connection, wanted):
        _unpack(connection.engine, series, wanted)


def packed_of(connection: Connection, wanted: Iterable[Partition]) -> list[Partition]:
    """Those of `wanted` whose rows are in short."""
    shorts = {packed.partition_of(partition).name: partition for partition in wanted}
    there = connection.scalars(_THERE, {"names": list(shorts)}).all()
    return [
        shorts[name]
        for name in there
        if connection.exec_driver_sql(packed.has_rows(packed.partition_of(shorts[name]))).scalar()
    ]


def _unpack(engine: Engine, series: RawSeries | Roll, wanted: Sequence[Partition]) -> None:
    """In a transaction of its own: what others would wait for is over when it is."""
    with transaction(engine) as connection:
        wait_for_lock(connection, _lock(series))
        for partition in packed_of(connection, wanted):
            for statement in packed.unpack(packed.PACKED[series.name], partition):
                connection.exec_driver_sql(statement)


def pack(connection: Connection, series: RawSeries | Roll, partition: Partition) -> bool:
    """Within the caller's transaction: its rows in short, and the partition itself is empty. False, at once, while others make partitions.

    Whoever reads goes on until the partition is emptied; whoever would write to it waits, and then has it unpacked.
    """
    if not try_lock(connection, _lock(series)):
        return False
    short = packed.partition_of(partition)
    connection.exec_driver_sql(f"LOCK TABLE {partition.name} IN SHARE ROW EXCLUSIVE MODE")
    if absent(connection, [short]):
        for statement in packed.create_partition(short):
            connection.exec_driver_sql(statement)
    connection.exec_driver_sql(packed.pack(series, partition))
    connection.exec_driver_sql(f"TRUNCATE {partition.name}")
    connection.exec_driver_sql(f"ANALYZE {short.name}")
    return True


def _lock(series: RawSeries | Roll) -> str:
    return f"partitions of {series.name}"
