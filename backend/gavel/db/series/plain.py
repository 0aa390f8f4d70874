"""Series on plain PostgreSQL: range partitions made by us, roll-ups upserted by a job. Emits SQL; `maintenance` runs it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from gavel.db.series.catalog import EPOCH, Mode, RawSeries, Roll
from gavel.db.series.ddl import comma, raw_columns


@dataclass(frozen=True, slots=True)
class Partition:
    """The part [lo, hi) of a series, a table of its own."""

    parent: str
    lo: datetime
    hi: datetime

    @property
    def name(self) -> str:
        return f"{self.parent}_{self.lo:%Y%m%dt%H}"


def create_raw(raw: RawSeries) -> Iterator[str]:
    yield f"CREATE TABLE {raw.name} ({raw_columns(raw)}) PARTITION BY RANGE ({raw.time})"
    # Small while rows come in time order: finds the newest minutes within the open hour.
    yield f"CREATE INDEX ix_{raw.name}_{raw.time} ON {raw.name} USING brin ({raw.time}) WITH (pages_per_range = 16)"


def create_roll(roll: Roll) -> Iterator[str]:
    columns = comma(f"{partial.name} {partial.sql_type}" for partial in roll.partials)
    key = f"CONSTRAINT pk_{roll.name} PRIMARY KEY (entity_id, {roll.time})"
    yield (
        f"CREATE TABLE {roll.name} (entity_id integer NOT NULL, {roll.time} timestamptz NOT NULL, {columns}, {key})"
        f" PARTITION BY RANGE ({roll.time})"
    )


def drop(series: RawSeries | Roll) -> Iterator[str]:
    yield f"DROP TABLE {series.name}"


def partition_at(series: RawSeries | Roll, at: datetime) -> Partition:
    lo = floor(at, series.chunk[Mode.PLAIN], EPOCH)
    return Partition(series.name, lo, lo + series.chunk[Mode.PLAIN])


def partitions_between(series: RawSeries | Roll, first: datetime, last: datetime) -> Iterator[Partition]:
    """Those that hold any of [first, last]."""
    partition = partition_at(series, first)
    while partition.lo <= last:
        yield partition
        partition = partition_at(series, partition.hi)


def partition_named(series: RawSeries | Roll, name: str) -> Partition:
    stamp = name.removeprefix(f"{series.name}_")
    return partition_at(series, datetime.strptime(f"{stamp}+0000", "%Y%m%dt%H%z"))


def floor(at: datetime, width: timedelta, origin: datetime) -> datetime:
    return origin + (at - origin) // width * width


# Rows are added all the time it is open: at PostgreSQL's own tenth, an hour of minutes would be analyzed some thirty times.
_SELDOM_ANALYZED = "autovacuum_analyze_scale_factor = 0.5, autovacuum_vacuum_insert_scale_factor = 1"


def create_partition(partition: Partition) -> Iterator[str]:
    """Made beside its parent and attached: readers and writers of the parent go on meanwhile."""
    yield f"CREATE TABLE {partition.name} (LIKE {partition.parent} INCLUDING ALL) WITH ({_SELDOM_ANALYZED})"
    yield attach(partition)


def attach(partition: Partition) -> str:
    limits = f"FROM ('{partition.lo.isoformat()}') TO ('{partition.hi.isoformat()}')"
    return f"ALTER TABLE {partition.parent} ATTACH PARTITION {partition.name} FOR VALUES {limits}"


def reorder_partition(series: RawSeries | Roll, partition: Partition) -> Iterator[str]:
    """Rewrite in key order: polls arrive time by time, so one entity's hour is spread over as many pages as it has samples.

    Readers go on until the last three statements; writers of this partition wait. The CHECK spares ATTACH a scan.
    """
    new = f"{partition.name}_new"
    within = f"{series.time} >= '{partition.lo.isoformat()}' AND {series.time} < '{partition.hi.isoformat()}'"
    yield f"LOCK TABLE {partition.name} IN SHARE ROW EXCLUSIVE MODE"
    yield f"CREATE TABLE {new} (LIKE {partition.parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED)"
    yield f"INSERT INTO {new} SELECT * FROM {partition.name} ORDER BY entity_id, {series.time}"
    yield f"ALTER TABLE {new} ADD CONSTRAINT {new}_pkey PRIMARY KEY (entity_id, {series.time})"
    if isinstance(series, RawSeries):
        yield f"CREATE INDEX {new}_brin ON {new} USING brin ({series.time}) WITH (pages_per_range = 16)"
    yield f"ALTER TABLE {new} ADD CONSTRAINT within CHECK ({within})"
    yield f"ANALYZE {new}"
    yield f"ALTER TABLE {partition.parent} DETACH PARTITION {partition.name}"
    yield f"DROP TABLE {partition.name}"
    yield f"ALTER TABLE {new} RENAME TO {partition.name}"
    yield f"ALTER INDEX {new}_pkey RENAME TO {partition.name}_pkey"
    if isinstance(series, RawSeries):
        yield f"ALTER INDEX {new}_brin RENAME TO {partition.name}_ts_idx"
    yield attach(partition)
    yield f"ALTER TABLE {partition.name} DROP CONSTRAINT within"
