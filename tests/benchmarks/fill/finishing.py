"""When all rows are there: the store as collection and maintenance would have left it."""

from collections.abc import Callable, Iterable

from sqlalchemy import Connection, Engine, text
from tests.benchmarks.fill.columnstore import mode_of, refresh
from tests.benchmarks.fill.journal import HOUR, Plan

from gavel.db.engine import transaction
from gavel.db.queries.correlation import LedgerProgress, changes, save_progress, settle
from gavel.db.series import partitions
from gavel.db.series.catalog import LEDGER, LEDGER_LEAVES, ROLLED, ROLLS, SAMPLES, Mode
from gavel.db.series.maintenance import REORDER_GRACE, reorder_closed, roll_dirty
from gavel.db.write.samples import advance_watermark
from gavel.domain.source import Stream

# Written an hour at once, in the order of their key. The ledger comes in parts of an hour, roll-ups in days of a week: maintenance orders
# them in the end.
_ORDERED = tuple(SAMPLES[stream] for stream in ROLLED)


def finish(engine: Engine, asked: Plan, sources: Iterable[int], say: Callable[[str], None]) -> None:
    if is_plain := mode_of(engine) is Mode.PLAIN:
        roll_dirty(engine, asked.until + HOUR / 30)
    else:
        refresh(engine, ROLLS.values(), asked.until)
    with transaction(engine) as connection:
        for source in sources:
            _passed(connection, source, asked)
        save_progress(connection, LedgerProgress(asked.until, None, frozenset()))
        settle(connection, [change.id for change in changes(connection, asked.until)], ())
        if is_plain:
            _note_order(connection, asked)
    if is_plain:
        _let_go(engine, asked)
    while reorder_closed(engine, asked.until):
        pass
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("SET statement_timeout = 0")
        connection.exec_driver_sql("VACUUM ANALYZE")
        for table in (*(raw.name for raw in (*_ORDERED, LEDGER_LEAVES, LEDGER)), *ROLLS):
            say(f"{table:<24}{connection.execute(text(f'SELECT count(*) FROM {table}')).scalar_one():>14,} rows")


def _passed(connection: Connection, source: int, asked: Plan) -> None:
    found = {
        Stream.ARRAY_VOLUME: "volume",
        Stream.ARRAY_DIRECTORY: "array_directory",
        Stream.ARRAY_WIDE: "storage_array",
        Stream.ARRAY_PORT: "array_port",
        Stream.HOST_DEVICE: "host_device",
        Stream.VM_DISK: "vm_disk",
        Stream.HOST_CPU: "esxi_host",
    }
    for stream, table in found.items():
        owns = text(f"SELECT EXISTS (SELECT FROM {table} WHERE source_id = :source)")
        if connection.execute(owns, {"source": source}).scalar_one():
            advance_watermark(connection, source, stream, asked.until)


def _let_go(engine: Engine, asked: Plan) -> None:
    """Samples of an hour: what is made of them is kept, they are not. One by one: each is a lock, and a month has thousands."""
    for stream in ROLLED:
        with transaction(engine) as connection:
            found = partitions.existing(connection, SAMPLES[stream])
        for partition in found:
            if partition.hi <= asked.minutes_from:
                with transaction(engine) as connection:
                    connection.exec_driver_sql(f"DROP TABLE {partition.name}")


def _note_order(connection: Connection, asked: Plan) -> None:
    ordered = [series.name for series in _ORDERED]
    connection.execute(
        text("DELETE FROM dirty_window WHERE kind = 'order' AND series = ANY(:ordered)"), {"ordered": ordered}
    )
    for series in _ORDERED:
        for partition in partitions.existing(connection, series):
            if partition.hi <= asked.until - REORDER_GRACE:
                connection.execute(
                    text("INSERT INTO ordered_partition (name, ordered_at) VALUES (:name, :at) ON CONFLICT DO NOTHING"),
                    {"name": partition.name, "at": asked.until},
                )
