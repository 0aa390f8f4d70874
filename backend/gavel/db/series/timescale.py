"""Series on TimescaleDB: hypertables, columnstore, continuous aggregates and the policies that keep them. Emits SQL."""

from collections.abc import Iterator
from datetime import timedelta

from gavel.db.series.catalog import DAY, DEFAULT_KEEP, HOUR, Mode, RawSeries, Roll
from gavel.db.series.ddl import aggregates, instant, interval, raw_columns

# A refresh of a time whose source rows have been dropped would empty it, so refreshing stops this long before retention.
REFRESH_MARGIN = DAY
# A bucket is complete this long after its end: a source may be late by two polls.
_REFRESH_GRACE = timedelta(minutes=1)
_REFRESH_EVERY = {timedelta(minutes=5): timedelta(minutes=1), HOUR: timedelta(minutes=5)}

# What a migration makes; `retention` fits the policies to what the operator wants.
_KEEP = DEFAULT_KEEP[Mode.TIMESCALE]

# A late row or a rewritten minute unpacks its entities' whole chunk. By default the database refuses that beyond 100,000 rows.
UNPACK_FREELY = "SET LOCAL timescaledb.max_tuples_decompressed_per_dml_transaction = 0"


def create_raw(raw: RawSeries) -> Iterator[str]:
    chunk = interval(raw.chunk[Mode.TIMESCALE])
    yield f"CREATE TABLE {raw.name} ({raw_columns(raw)})"
    yield f"SELECT create_hypertable('{raw.name}', by_range('{raw.time}', {chunk}), create_default_indexes => false)"
    yield f"CREATE INDEX ix_{raw.name}_{raw.time} ON {raw.name} USING brin ({raw.time}) WITH (pages_per_range = 16)"
    yield f"ALTER TABLE {raw.name} SET ({_columnstore(raw.time)})"
    yield f"CALL add_columnstore_policy('{raw.name}', after => {chunk})"
    yield f"SELECT add_retention_policy('{raw.name}', drop_after => {interval(_KEEP[raw.grain])})"


def create_roll(roll: Roll, source: RawSeries | Roll) -> Iterator[str]:
    source_keep = _KEEP[source.grain]
    bucket = f"time_bucket({interval(roll.width)}, {roll.source_time}, origin => {instant(roll.origin)})"
    refresh_from = source_keep - REFRESH_MARGIN
    yield (
        f"CREATE MATERIALIZED VIEW {roll.name} WITH (timescaledb.continuous, timescaledb.materialized_only = true,"
        f" timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '{roll.chunk[Mode.TIMESCALE].days} days')"
        f" AS SELECT entity_id, {bucket} AS {roll.time}, {aggregates(roll)} FROM {roll.source} GROUP BY 1, 2 WITH NO DATA"
    )
    yield f"CREATE INDEX ix_{roll.name}_entity_bucket ON {roll.name} (entity_id, {roll.time})"
    yield (
        f"SELECT add_continuous_aggregate_policy('{roll.name}', start_offset => {interval(refresh_from)},"
        f" end_offset => {interval(_REFRESH_GRACE)}, schedule_interval => {interval(_REFRESH_EVERY[roll.width])})"
    )
    yield f"ALTER MATERIALIZED VIEW {roll.name} SET ({_columnstore(roll.time)})"
    yield f"CALL add_columnstore_policy('{roll.name}', after => {interval(source_keep)})"
    yield f"SELECT add_retention_policy('{roll.name}', drop_after => {interval(_KEEP[roll.grain])})"


def drop(series: RawSeries | Roll) -> Iterator[str]:
    yield f"DROP {'TABLE' if isinstance(series, RawSeries) else 'MATERIALIZED VIEW'} {series.name}"


def _columnstore(time: str) -> str:
    return f"timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id', timescaledb.orderby = '{time}'"
