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
# Chunks as they are made first; `lay_out` then says how later ones are.
_FIRST_RAW = 2 * HOUR
_FIRST_ROLLS = {timedelta(minutes=5): DAY, HOUR: 28 * DAY}
# A chunk is packed once it has been over for so long; sums that change later are made again in what is packed.
PACK_AFTER = HOUR
PACK_EVERY = timedelta(minutes=15)

# A late row or a rewritten minute unpacks its entities' whole chunk. By default the database refuses that beyond 100,000 rows.
UNPACK_FREELY = "SET LOCAL timescaledb.max_tuples_decompressed_per_dml_transaction = 0"


def create_raw(raw: RawSeries) -> Iterator[str]:
    chunk = interval(_FIRST_RAW)
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
        f" timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '{_FIRST_ROLLS[roll.width].days} days')"
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


def lay_out(series: RawSeries | Roll) -> Iterator[str]:
    """How wide chunks are from now on, and how soon they are packed. What is there gets packed in the background."""
    yield f"SELECT set_chunk_time_interval('{series.name}', {interval(series.chunk[Mode.TIMESCALE])})"
    yield pack_after(series, PACK_AFTER, PACK_EVERY)


def widest_chunk(roll: Roll) -> timedelta:
    """Those that are there, too, from before they were laid out anew."""
    return max(_FIRST_ROLLS[roll.width], roll.chunk[Mode.TIMESCALE])


def pack_after(series: RawSeries | Roll, after: timedelta, every: timedelta) -> str:
    """Change when the policy of a series packs."""
    length = f"to_jsonb('{int(after.total_seconds())} seconds'::text)"
    return (
        f"SELECT alter_job(j.job_id, schedule_interval => {interval(every)}, config => jsonb_set(j.config, '{{compress_after}}', {length}))"
        " FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a"
        " ON (a.materialization_hypertable_schema, a.materialization_hypertable_name) = (j.hypertable_schema, j.hypertable_name)"
        f" WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name, j.hypertable_name) = '{series.name}'"
    )


def drop(series: RawSeries | Roll) -> Iterator[str]:
    yield f"DROP {'TABLE' if isinstance(series, RawSeries) else 'MATERIALIZED VIEW'} {series.name}"


def _columnstore(time: str) -> str:
    return f"timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id', timescaledb.orderby = '{time}'"
