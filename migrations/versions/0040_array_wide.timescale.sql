CREATE TABLE array_wide_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, read_bytes bigint, write_ops integer, write_bytes bigint, mirrored_write_ops integer,
  mirrored_write_bytes bigint, read_service_us integer, read_queue_us integer, read_qos_us integer,
  read_qos_sched_us integer, read_san_us integer, read_usec_us integer, write_service_us integer,
  write_queue_us integer, write_qos_us integer, write_qos_sched_us integer, write_san_us integer,
  write_usec_us integer, mirrored_write_service_us integer, mirrored_write_queue_us integer,
  mirrored_write_qos_us integer, mirrored_write_qos_sched_us integer, mirrored_write_san_us integer,
  mirrored_write_usec_us integer, CONSTRAINT pk_array_wide_sample PRIMARY KEY (entity_id, ts));

SELECT create_hypertable('array_wide_sample', by_range('ts', INTERVAL '7200 seconds'),
  create_default_indexes => false);

CREATE INDEX ix_array_wide_sample_ts ON array_wide_sample USING brin (ts) WITH (pages_per_range = 16);

ALTER TABLE array_wide_sample SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'ts');

CALL add_columnstore_policy('array_wide_sample', after => INTERVAL '7200 seconds');

SELECT add_retention_policy('array_wide_sample', drop_after => INTERVAL '1209600 seconds');

CREATE MATERIALIZED VIEW array_wide_5m WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '1 days') AS SELECT entity_id,
  time_bucket(INTERVAL '300 seconds', ts, origin => TIMESTAMPTZ '2000-01-03T00:00:00.000001+00:00') AS bucket,
  count(*)::int AS n, sum(interval_s)::int AS covered_s, (sum(read_ops::float8))::bigint AS read_ops,
  (sum(interval_s) FILTER (WHERE read_ops IS NOT NULL))::integer AS read_ops_s,
  (sum(read_bytes::float8))::bigint AS read_bytes,
  (sum(interval_s) FILTER (WHERE read_bytes IS NOT NULL))::integer AS read_bytes_s,
  (sum(write_ops::float8))::bigint AS write_ops,
  (sum(interval_s) FILTER (WHERE write_ops IS NOT NULL))::integer AS write_ops_s,
  (sum(write_bytes::float8))::bigint AS write_bytes,
  (sum(interval_s) FILTER (WHERE write_bytes IS NOT NULL))::integer AS write_bytes_s,
  (sum(mirrored_write_ops::float8))::bigint AS mirrored_write_ops,
  (sum(interval_s) FILTER (WHERE mirrored_write_ops IS NOT NULL))::integer AS mirrored_write_ops_s,
  (sum(mirrored_write_bytes::float8))::bigint AS mirrored_write_bytes,
  (sum(interval_s) FILTER (WHERE mirrored_write_bytes IS NOT NULL))::integer AS mirrored_write_bytes_s,
  (sum(read_service_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_service_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_service_us IS NOT NULL))::bigint AS read_service_us_ops,
  max(read_service_us) FILTER (WHERE read_ops > 0) AS read_service_us_max,
  (sum(read_queue_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_queue_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_queue_us IS NOT NULL))::bigint AS read_queue_us_ops,
  max(read_queue_us) FILTER (WHERE read_ops > 0) AS read_queue_us_max,
  (sum(read_qos_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_qos_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_qos_us IS NOT NULL))::bigint AS read_qos_us_ops,
  max(read_qos_us) FILTER (WHERE read_ops > 0) AS read_qos_us_max,
  (sum(read_qos_sched_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_qos_sched_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_qos_sched_us IS NOT NULL))::bigint AS read_qos_sched_us_ops,
  max(read_qos_sched_us) FILTER (WHERE read_ops > 0) AS read_qos_sched_us_max,
  (sum(read_san_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_san_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_san_us IS NOT NULL))::bigint AS read_san_us_ops,
  max(read_san_us) FILTER (WHERE read_ops > 0) AS read_san_us_max,
  (sum(read_usec_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_usec_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_usec_us IS NOT NULL))::bigint AS read_usec_us_ops,
  max(read_usec_us) FILTER (WHERE read_ops > 0) AS read_usec_us_max,
  (sum(write_service_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_service_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_service_us IS NOT NULL))::bigint AS write_service_us_ops,
  max(write_service_us) FILTER (WHERE write_ops > 0) AS write_service_us_max,
  (sum(write_queue_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_queue_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_queue_us IS NOT NULL))::bigint AS write_queue_us_ops,
  max(write_queue_us) FILTER (WHERE write_ops > 0) AS write_queue_us_max,
  (sum(write_qos_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_qos_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_qos_us IS NOT NULL))::bigint AS write_qos_us_ops,
  max(write_qos_us) FILTER (WHERE write_ops > 0) AS write_qos_us_max,
  (sum(write_qos_sched_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_qos_sched_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_qos_sched_us IS NOT NULL))::bigint AS write_qos_sched_us_ops,
  max(write_qos_sched_us) FILTER (WHERE write_ops > 0) AS write_qos_sched_us_max,
  (sum(write_san_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_san_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_san_us IS NOT NULL))::bigint AS write_san_us_ops,
  max(write_san_us) FILTER (WHERE write_ops > 0) AS write_san_us_max,
  (sum(write_usec_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_usec_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_usec_us IS NOT NULL))::bigint AS write_usec_us_ops,
  max(write_usec_us) FILTER (WHERE write_ops > 0) AS write_usec_us_max,
  (sum(mirrored_write_service_us::float8 * mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0))::double precision AS mirrored_write_service_us_sum,
  (sum(mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0 AND mirrored_write_service_us IS NOT NULL))::bigint AS mirrored_write_service_us_ops,
  max(mirrored_write_service_us) FILTER (WHERE mirrored_write_ops > 0) AS mirrored_write_service_us_max,
  (sum(mirrored_write_queue_us::float8 * mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0))::double precision AS mirrored_write_queue_us_sum,
  (sum(mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0 AND mirrored_write_queue_us IS NOT NULL))::bigint AS mirrored_write_queue_us_ops,
  max(mirrored_write_queue_us) FILTER (WHERE mirrored_write_ops > 0) AS mirrored_write_queue_us_max,
  (sum(mirrored_write_qos_us::float8 * mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0))::double precision AS mirrored_write_qos_us_sum,
  (sum(mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0 AND mirrored_write_qos_us IS NOT NULL))::bigint AS mirrored_write_qos_us_ops,
  max(mirrored_write_qos_us) FILTER (WHERE mirrored_write_ops > 0) AS mirrored_write_qos_us_max,
  (sum(mirrored_write_qos_sched_us::float8 * mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0))::double precision AS mirrored_write_qos_sched_us_sum,
  (sum(mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0 AND mirrored_write_qos_sched_us IS NOT NULL))::bigint AS mirrored_write_qos_sched_us_ops,
  max(mirrored_write_qos_sched_us) FILTER (WHERE mirrored_write_ops > 0) AS mirrored_write_qos_sched_us_max,
  (sum(mirrored_write_san_us::float8 * mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0))::double precision AS mirrored_write_san_us_sum,
  (sum(mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0 AND mirrored_write_san_us IS NOT NULL))::bigint AS mirrored_write_san_us_ops,
  max(mirrored_write_san_us) FILTER (WHERE mirrored_write_ops > 0) AS mirrored_write_san_us_max,
  (sum(mirrored_write_usec_us::float8 * mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0))::double precision AS mirrored_write_usec_us_sum,
  (sum(mirrored_write_ops) FILTER (WHERE mirrored_write_ops > 0 AND mirrored_write_usec_us IS NOT NULL))::bigint AS mirrored_write_usec_us_ops,
  max(mirrored_write_usec_us) FILTER (WHERE mirrored_write_ops > 0) AS mirrored_write_usec_us_max FROM array_wide_sample GROUP BY 1,
  2 WITH NO DATA;

CREATE INDEX ix_array_wide_5m_entity_bucket ON array_wide_5m (entity_id, bucket);

SELECT add_continuous_aggregate_policy('array_wide_5m', start_offset => INTERVAL '1123200 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '60 seconds');

ALTER MATERIALIZED VIEW array_wide_5m SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('array_wide_5m', after => INTERVAL '1209600 seconds');

SELECT add_retention_policy('array_wide_5m', drop_after => INTERVAL '2592000 seconds');

CREATE MATERIALIZED VIEW array_wide_1h WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '28 days') AS SELECT entity_id,
  time_bucket(INTERVAL '3600 seconds', bucket, origin => TIMESTAMPTZ '2000-01-03T00:00:00.000001+00:00') AS bucket,
  sum(n)::int AS n, sum(covered_s)::int AS covered_s, (sum(read_ops::float8))::bigint AS read_ops,
  (sum(read_ops_s))::integer AS read_ops_s, (sum(read_bytes::float8))::bigint AS read_bytes,
  (sum(read_bytes_s))::integer AS read_bytes_s, (sum(write_ops::float8))::bigint AS write_ops,
  (sum(write_ops_s))::integer AS write_ops_s, (sum(write_bytes::float8))::bigint AS write_bytes,
  (sum(write_bytes_s))::integer AS write_bytes_s, (sum(mirrored_write_ops::float8))::bigint AS mirrored_write_ops,
  (sum(mirrored_write_ops_s))::integer AS mirrored_write_ops_s,
  (sum(mirrored_write_bytes::float8))::bigint AS mirrored_write_bytes,
  (sum(mirrored_write_bytes_s))::integer AS mirrored_write_bytes_s,
  (sum(read_service_us_sum))::double precision AS read_service_us_sum,
  (sum(read_service_us_ops::float8))::bigint AS read_service_us_ops, max(read_service_us_max) AS read_service_us_max,
  (sum(read_queue_us_sum))::double precision AS read_queue_us_sum,
  (sum(read_queue_us_ops::float8))::bigint AS read_queue_us_ops, max(read_queue_us_max) AS read_queue_us_max,
  (sum(read_qos_us_sum))::double precision AS read_qos_us_sum,
  (sum(read_qos_us_ops::float8))::bigint AS read_qos_us_ops, max(read_qos_us_max) AS read_qos_us_max,
  (sum(read_qos_sched_us_sum))::double precision AS read_qos_sched_us_sum,
  (sum(read_qos_sched_us_ops::float8))::bigint AS read_qos_sched_us_ops,
  max(read_qos_sched_us_max) AS read_qos_sched_us_max, (sum(read_san_us_sum))::double precision AS read_san_us_sum,
  (sum(read_san_us_ops::float8))::bigint AS read_san_us_ops, max(read_san_us_max) AS read_san_us_max,
  (sum(read_usec_us_sum))::double precision AS read_usec_us_sum,
  (sum(read_usec_us_ops::float8))::bigint AS read_usec_us_ops, max(read_usec_us_max) AS read_usec_us_max,
  (sum(write_service_us_sum))::double precision AS write_service_us_sum,
  (sum(write_service_us_ops::float8))::bigint AS write_service_us_ops,
  max(write_service_us_max) AS write_service_us_max, (sum(write_queue_us_sum))::double precision AS write_queue_us_sum,
  (sum(write_queue_us_ops::float8))::bigint AS write_queue_us_ops, max(write_queue_us_max) AS write_queue_us_max,
  (sum(write_qos_us_sum))::double precision AS write_qos_us_sum,
  (sum(write_qos_us_ops::float8))::bigint AS write_qos_us_ops, max(write_qos_us_max) AS write_qos_us_max,
  (sum(write_qos_sched_us_sum))::double precision AS write_qos_sched_us_sum,
  (sum(write_qos_sched_us_ops::float8))::bigint AS write_qos_sched_us_ops,
  max(write_qos_sched_us_max) AS write_qos_sched_us_max, (sum(write_san_us_sum))::double precision AS write_san_us_sum,
  (sum(write_san_us_ops::float8))::bigint AS write_san_us_ops, max(write_san_us_max) AS write_san_us_max,
  (sum(write_usec_us_sum))::double precision AS write_usec_us_sum,
  (sum(write_usec_us_ops::float8))::bigint AS write_usec_us_ops, max(write_usec_us_max) AS write_usec_us_max,
  (sum(mirrored_write_service_us_sum))::double precision AS mirrored_write_service_us_sum,
  (sum(mirrored_write_service_us_ops::float8))::bigint AS mirrored_write_service_us_ops,
  max(mirrored_write_service_us_max) AS mirrored_write_service_us_max,
  (sum(mirrored_write_queue_us_sum))::double precision AS mirrored_write_queue_us_sum,
  (sum(mirrored_write_queue_us_ops::float8))::bigint AS mirrored_write_queue_us_ops,
  max(mirrored_write_queue_us_max) AS mirrored_write_queue_us_max,
  (sum(mirrored_write_qos_us_sum))::double precision AS mirrored_write_qos_us_sum,
  (sum(mirrored_write_qos_us_ops::float8))::bigint AS mirrored_write_qos_us_ops,
  max(mirrored_write_qos_us_max) AS mirrored_write_qos_us_max,
  (sum(mirrored_write_qos_sched_us_sum))::double precision AS mirrored_write_qos_sched_us_sum,
  (sum(mirrored_write_qos_sched_us_ops::float8))::bigint AS mirrored_write_qos_sched_us_ops,
  max(mirrored_write_qos_sched_us_max) AS mirrored_write_qos_sched_us_max,
  (sum(mirrored_write_san_us_sum))::double precision AS mirrored_write_san_us_sum,
  (sum(mirrored_write_san_us_ops::float8))::bigint AS mirrored_write_san_us_ops,
  max(mirrored_write_san_us_max) AS mirrored_write_san_us_max,
  (sum(mirrored_write_usec_us_sum))::double precision AS mirrored_write_usec_us_sum,
  (sum(mirrored_write_usec_us_ops::float8))::bigint AS mirrored_write_usec_us_ops,
  max(mirrored_write_usec_us_max) AS mirrored_write_usec_us_max FROM array_wide_5m GROUP BY 1, 2 WITH NO DATA;

CREATE INDEX ix_array_wide_1h_entity_bucket ON array_wide_1h (entity_id, bucket);

SELECT add_continuous_aggregate_policy('array_wide_1h', start_offset => INTERVAL '2505600 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '300 seconds');

ALTER MATERIALIZED VIEW array_wide_1h SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('array_wide_1h', after => INTERVAL '2592000 seconds');

SELECT add_retention_policy('array_wide_1h', drop_after => INTERVAL '34560000 seconds');

