CREATE TABLE array_volume_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, read_bytes bigint, write_ops integer, write_bytes bigint, mirrored_write_ops integer,
  mirrored_write_bytes bigint, read_service_us integer, read_queue_us integer, read_qos_us integer,
  read_qos_sched_us integer, read_san_us integer, read_usec_us integer, write_service_us integer,
  write_queue_us integer, write_qos_us integer, write_qos_sched_us integer, write_san_us integer,
  write_usec_us integer, mirrored_write_service_us integer, mirrored_write_queue_us integer,
  mirrored_write_qos_us integer, mirrored_write_qos_sched_us integer, mirrored_write_san_us integer,
  mirrored_write_usec_us integer, CONSTRAINT pk_array_volume_sample PRIMARY KEY (entity_id, ts));

SELECT create_hypertable('array_volume_sample', by_range('ts', INTERVAL '7200 seconds'),
  create_default_indexes => false);

CREATE INDEX ix_array_volume_sample_ts ON array_volume_sample USING brin (ts) WITH (pages_per_range = 16);

ALTER TABLE array_volume_sample SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'ts');

CALL add_columnstore_policy('array_volume_sample', after => INTERVAL '7200 seconds');

SELECT add_retention_policy('array_volume_sample', drop_after => INTERVAL '1209600 seconds');

CREATE TABLE host_device_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, write_ops integer, read_bytes bigint, write_bytes bigint, read_gavg_us integer,
  read_davg_us integer, read_kavg_us integer, read_qavg_us integer, write_gavg_us integer, write_davg_us integer,
  write_kavg_us integer, write_qavg_us integer, queue_depth integer, aborts integer, bus_resets integer,
  precision integer, CONSTRAINT pk_host_device_sample PRIMARY KEY (entity_id, ts));

SELECT create_hypertable('host_device_sample', by_range('ts', INTERVAL '7200 seconds'),
  create_default_indexes => false);

CREATE INDEX ix_host_device_sample_ts ON host_device_sample USING brin (ts) WITH (pages_per_range = 16);

ALTER TABLE host_device_sample SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'ts');

CALL add_columnstore_policy('host_device_sample', after => INTERVAL '7200 seconds');

SELECT add_retention_policy('host_device_sample', drop_after => INTERVAL '1209600 seconds');

CREATE TABLE vm_disk_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, write_ops integer, read_bytes bigint, write_bytes bigint, read_latency_us integer,
  write_latency_us integer, read_total_latency_us integer, write_total_latency_us integer, read_outstanding integer,
  write_outstanding integer, precision integer, CONSTRAINT pk_vm_disk_sample PRIMARY KEY (entity_id, ts));

SELECT create_hypertable('vm_disk_sample', by_range('ts', INTERVAL '7200 seconds'), create_default_indexes => false);

CREATE INDEX ix_vm_disk_sample_ts ON vm_disk_sample USING brin (ts) WITH (pages_per_range = 16);

ALTER TABLE vm_disk_sample SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'ts');

CALL add_columnstore_policy('vm_disk_sample', after => INTERVAL '7200 seconds');

SELECT add_retention_policy('vm_disk_sample', drop_after => INTERVAL '1209600 seconds');

CREATE TABLE path_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, write_ops integer, read_bytes bigint, write_bytes bigint, read_latency_us integer,
  write_latency_us integer, precision integer, CONSTRAINT pk_path_sample PRIMARY KEY (entity_id, ts));

SELECT create_hypertable('path_sample', by_range('ts', INTERVAL '7200 seconds'), create_default_indexes => false);

CREATE INDEX ix_path_sample_ts ON path_sample USING brin (ts) WITH (pages_per_range = 16);

ALTER TABLE path_sample SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'ts');

CALL add_columnstore_policy('path_sample', after => INTERVAL '7200 seconds');

SELECT add_retention_policy('path_sample', drop_after => INTERVAL '1209600 seconds');

CREATE TABLE adapter_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, write_ops integer, read_bytes bigint, write_bytes bigint, read_latency_us integer,
  write_latency_us integer, queue_depth integer, queued integer, outstanding integer, precision integer,
  CONSTRAINT pk_adapter_sample PRIMARY KEY (entity_id, ts));

SELECT create_hypertable('adapter_sample', by_range('ts', INTERVAL '7200 seconds'), create_default_indexes => false);

CREATE INDEX ix_adapter_sample_ts ON adapter_sample USING brin (ts) WITH (pages_per_range = 16);

ALTER TABLE adapter_sample SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'ts');

CALL add_columnstore_policy('adapter_sample', after => INTERVAL '7200 seconds');

SELECT add_retention_policy('adapter_sample', drop_after => INTERVAL '1209600 seconds');

CREATE MATERIALIZED VIEW array_volume_5m WITH (timescaledb.continuous, timescaledb.materialized_only = true,
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
  max(mirrored_write_usec_us) FILTER (WHERE mirrored_write_ops > 0) AS mirrored_write_usec_us_max FROM array_volume_sample GROUP BY 1,
  2 WITH NO DATA;

CREATE INDEX ix_array_volume_5m_entity_bucket ON array_volume_5m (entity_id, bucket);

SELECT add_continuous_aggregate_policy('array_volume_5m', start_offset => INTERVAL '1123200 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '60 seconds');

ALTER MATERIALIZED VIEW array_volume_5m SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('array_volume_5m', after => INTERVAL '1209600 seconds');

SELECT add_retention_policy('array_volume_5m', drop_after => INTERVAL '2592000 seconds');

CREATE MATERIALIZED VIEW array_volume_1h WITH (timescaledb.continuous, timescaledb.materialized_only = true,
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
  max(mirrored_write_usec_us_max) AS mirrored_write_usec_us_max FROM array_volume_5m GROUP BY 1, 2 WITH NO DATA;

CREATE INDEX ix_array_volume_1h_entity_bucket ON array_volume_1h (entity_id, bucket);

SELECT add_continuous_aggregate_policy('array_volume_1h', start_offset => INTERVAL '2505600 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '300 seconds');

ALTER MATERIALIZED VIEW array_volume_1h SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('array_volume_1h', after => INTERVAL '2592000 seconds');

SELECT add_retention_policy('array_volume_1h', drop_after => INTERVAL '34560000 seconds');

CREATE MATERIALIZED VIEW host_device_5m WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '1 days') AS SELECT entity_id,
  time_bucket(INTERVAL '300 seconds', ts, origin => TIMESTAMPTZ '2000-01-03T00:00:00.000001+00:00') AS bucket,
  count(*)::int AS n, sum(interval_s)::int AS covered_s, (sum(read_ops::float8))::bigint AS read_ops,
  (sum(interval_s) FILTER (WHERE read_ops IS NOT NULL))::integer AS read_ops_s,
  (sum(write_ops::float8))::bigint AS write_ops,
  (sum(interval_s) FILTER (WHERE write_ops IS NOT NULL))::integer AS write_ops_s,
  (sum(read_bytes::float8))::bigint AS read_bytes,
  (sum(interval_s) FILTER (WHERE read_bytes IS NOT NULL))::integer AS read_bytes_s,
  (sum(write_bytes::float8))::bigint AS write_bytes,
  (sum(interval_s) FILTER (WHERE write_bytes IS NOT NULL))::integer AS write_bytes_s,
  (sum(read_gavg_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_gavg_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_gavg_us IS NOT NULL))::bigint AS read_gavg_us_ops,
  max(read_gavg_us) FILTER (WHERE read_ops > 0) AS read_gavg_us_max,
  (sum(read_davg_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_davg_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_davg_us IS NOT NULL))::bigint AS read_davg_us_ops,
  max(read_davg_us) FILTER (WHERE read_ops > 0) AS read_davg_us_max,
  (sum(read_kavg_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_kavg_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_kavg_us IS NOT NULL))::bigint AS read_kavg_us_ops,
  max(read_kavg_us) FILTER (WHERE read_ops > 0) AS read_kavg_us_max,
  (sum(read_qavg_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_qavg_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_qavg_us IS NOT NULL))::bigint AS read_qavg_us_ops,
  max(read_qavg_us) FILTER (WHERE read_ops > 0) AS read_qavg_us_max,
  (sum(write_gavg_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_gavg_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_gavg_us IS NOT NULL))::bigint AS write_gavg_us_ops,
  max(write_gavg_us) FILTER (WHERE write_ops > 0) AS write_gavg_us_max,
  (sum(write_davg_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_davg_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_davg_us IS NOT NULL))::bigint AS write_davg_us_ops,
  max(write_davg_us) FILTER (WHERE write_ops > 0) AS write_davg_us_max,
  (sum(write_kavg_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_kavg_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_kavg_us IS NOT NULL))::bigint AS write_kavg_us_ops,
  max(write_kavg_us) FILTER (WHERE write_ops > 0) AS write_kavg_us_max,
  (sum(write_qavg_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_qavg_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_qavg_us IS NOT NULL))::bigint AS write_qavg_us_ops,
  max(write_qavg_us) FILTER (WHERE write_ops > 0) AS write_qavg_us_max,
  (sum(queue_depth::bigint * interval_s))::bigint AS queue_depth_sum,
  (sum(interval_s) FILTER (WHERE queue_depth IS NOT NULL))::integer AS queue_depth_s,
  min(queue_depth) AS queue_depth_min, max(queue_depth) AS queue_depth_max, (sum(aborts::float8))::bigint AS aborts,
  (sum(interval_s) FILTER (WHERE aborts IS NOT NULL))::integer AS aborts_s,
  (sum(bus_resets::float8))::bigint AS bus_resets,
  (sum(interval_s) FILTER (WHERE bus_resets IS NOT NULL))::integer AS bus_resets_s, min(precision) AS precision_min,
  max(precision) AS precision_max FROM host_device_sample GROUP BY 1, 2 WITH NO DATA;

CREATE INDEX ix_host_device_5m_entity_bucket ON host_device_5m (entity_id, bucket);

SELECT add_continuous_aggregate_policy('host_device_5m', start_offset => INTERVAL '1123200 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '60 seconds');

ALTER MATERIALIZED VIEW host_device_5m SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('host_device_5m', after => INTERVAL '1209600 seconds');

SELECT add_retention_policy('host_device_5m', drop_after => INTERVAL '2592000 seconds');

CREATE MATERIALIZED VIEW host_device_1h WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '28 days') AS SELECT entity_id,
  time_bucket(INTERVAL '3600 seconds', bucket, origin => TIMESTAMPTZ '2000-01-03T00:00:00.000001+00:00') AS bucket,
  sum(n)::int AS n, sum(covered_s)::int AS covered_s, (sum(read_ops::float8))::bigint AS read_ops,
  (sum(read_ops_s))::integer AS read_ops_s, (sum(write_ops::float8))::bigint AS write_ops,
  (sum(write_ops_s))::integer AS write_ops_s, (sum(read_bytes::float8))::bigint AS read_bytes,
  (sum(read_bytes_s))::integer AS read_bytes_s, (sum(write_bytes::float8))::bigint AS write_bytes,
  (sum(write_bytes_s))::integer AS write_bytes_s, (sum(read_gavg_us_sum))::double precision AS read_gavg_us_sum,
  (sum(read_gavg_us_ops::float8))::bigint AS read_gavg_us_ops, max(read_gavg_us_max) AS read_gavg_us_max,
  (sum(read_davg_us_sum))::double precision AS read_davg_us_sum,
  (sum(read_davg_us_ops::float8))::bigint AS read_davg_us_ops, max(read_davg_us_max) AS read_davg_us_max,
  (sum(read_kavg_us_sum))::double precision AS read_kavg_us_sum,
  (sum(read_kavg_us_ops::float8))::bigint AS read_kavg_us_ops, max(read_kavg_us_max) AS read_kavg_us_max,
  (sum(read_qavg_us_sum))::double precision AS read_qavg_us_sum,
  (sum(read_qavg_us_ops::float8))::bigint AS read_qavg_us_ops, max(read_qavg_us_max) AS read_qavg_us_max,
  (sum(write_gavg_us_sum))::double precision AS write_gavg_us_sum,
  (sum(write_gavg_us_ops::float8))::bigint AS write_gavg_us_ops, max(write_gavg_us_max) AS write_gavg_us_max,
  (sum(write_davg_us_sum))::double precision AS write_davg_us_sum,
  (sum(write_davg_us_ops::float8))::bigint AS write_davg_us_ops, max(write_davg_us_max) AS write_davg_us_max,
  (sum(write_kavg_us_sum))::double precision AS write_kavg_us_sum,
  (sum(write_kavg_us_ops::float8))::bigint AS write_kavg_us_ops, max(write_kavg_us_max) AS write_kavg_us_max,
  (sum(write_qavg_us_sum))::double precision AS write_qavg_us_sum,
  (sum(write_qavg_us_ops::float8))::bigint AS write_qavg_us_ops, max(write_qavg_us_max) AS write_qavg_us_max,
  (sum(queue_depth_sum::float8))::bigint AS queue_depth_sum, (sum(queue_depth_s))::integer AS queue_depth_s,
  min(queue_depth_min) AS queue_depth_min, max(queue_depth_max) AS queue_depth_max,
  (sum(aborts::float8))::bigint AS aborts, (sum(aborts_s))::integer AS aborts_s,
  (sum(bus_resets::float8))::bigint AS bus_resets, (sum(bus_resets_s))::integer AS bus_resets_s,
  min(precision_min) AS precision_min, max(precision_max) AS precision_max FROM host_device_5m GROUP BY 1,
  2 WITH NO DATA;

CREATE INDEX ix_host_device_1h_entity_bucket ON host_device_1h (entity_id, bucket);

SELECT add_continuous_aggregate_policy('host_device_1h', start_offset => INTERVAL '2505600 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '300 seconds');

ALTER MATERIALIZED VIEW host_device_1h SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('host_device_1h', after => INTERVAL '2592000 seconds');

SELECT add_retention_policy('host_device_1h', drop_after => INTERVAL '34560000 seconds');

CREATE MATERIALIZED VIEW vm_disk_5m WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '1 days') AS SELECT entity_id,
  time_bucket(INTERVAL '300 seconds', ts, origin => TIMESTAMPTZ '2000-01-03T00:00:00.000001+00:00') AS bucket,
  count(*)::int AS n, sum(interval_s)::int AS covered_s, (sum(read_ops::float8))::bigint AS read_ops,
  (sum(interval_s) FILTER (WHERE read_ops IS NOT NULL))::integer AS read_ops_s,
  (sum(write_ops::float8))::bigint AS write_ops,
  (sum(interval_s) FILTER (WHERE write_ops IS NOT NULL))::integer AS write_ops_s,
  (sum(read_bytes::float8))::bigint AS read_bytes,
  (sum(interval_s) FILTER (WHERE read_bytes IS NOT NULL))::integer AS read_bytes_s,
  (sum(write_bytes::float8))::bigint AS write_bytes,
  (sum(interval_s) FILTER (WHERE write_bytes IS NOT NULL))::integer AS write_bytes_s,
  (sum(read_latency_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_latency_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_latency_us IS NOT NULL))::bigint AS read_latency_us_ops,
  max(read_latency_us) FILTER (WHERE read_ops > 0) AS read_latency_us_max,
  (sum(write_latency_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_latency_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_latency_us IS NOT NULL))::bigint AS write_latency_us_ops,
  max(write_latency_us) FILTER (WHERE write_ops > 0) AS write_latency_us_max,
  (sum(read_total_latency_us::float8 * read_ops) FILTER (WHERE read_ops > 0))::double precision AS read_total_latency_us_sum,
  (sum(read_ops) FILTER (WHERE read_ops > 0 AND read_total_latency_us IS NOT NULL))::bigint AS read_total_latency_us_ops,
  max(read_total_latency_us) FILTER (WHERE read_ops > 0) AS read_total_latency_us_max,
  (sum(write_total_latency_us::float8 * write_ops) FILTER (WHERE write_ops > 0))::double precision AS write_total_latency_us_sum,
  (sum(write_ops) FILTER (WHERE write_ops > 0 AND write_total_latency_us IS NOT NULL))::bigint AS write_total_latency_us_ops,
  max(write_total_latency_us) FILTER (WHERE write_ops > 0) AS write_total_latency_us_max,
  (sum(read_outstanding::bigint * interval_s))::bigint AS read_outstanding_sum,
  (sum(interval_s) FILTER (WHERE read_outstanding IS NOT NULL))::integer AS read_outstanding_s,
  min(read_outstanding) AS read_outstanding_min, max(read_outstanding) AS read_outstanding_max,
  (sum(write_outstanding::bigint * interval_s))::bigint AS write_outstanding_sum,
  (sum(interval_s) FILTER (WHERE write_outstanding IS NOT NULL))::integer AS write_outstanding_s,
  min(write_outstanding) AS write_outstanding_min, max(write_outstanding) AS write_outstanding_max,
  min(precision) AS precision_min, max(precision) AS precision_max FROM vm_disk_sample GROUP BY 1, 2 WITH NO DATA;

CREATE INDEX ix_vm_disk_5m_entity_bucket ON vm_disk_5m (entity_id, bucket);

SELECT add_continuous_aggregate_policy('vm_disk_5m', start_offset => INTERVAL '1123200 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '60 seconds');

ALTER MATERIALIZED VIEW vm_disk_5m SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('vm_disk_5m', after => INTERVAL '1209600 seconds');

SELECT add_retention_policy('vm_disk_5m', drop_after => INTERVAL '2592000 seconds');

CREATE MATERIALIZED VIEW vm_disk_1h WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '28 days') AS SELECT entity_id,
  time_bucket(INTERVAL '3600 seconds', bucket, origin => TIMESTAMPTZ '2000-01-03T00:00:00.000001+00:00') AS bucket,
  sum(n)::int AS n, sum(covered_s)::int AS covered_s, (sum(read_ops::float8))::bigint AS read_ops,
  (sum(read_ops_s))::integer AS read_ops_s, (sum(write_ops::float8))::bigint AS write_ops,
  (sum(write_ops_s))::integer AS write_ops_s, (sum(read_bytes::float8))::bigint AS read_bytes,
  (sum(read_bytes_s))::integer AS read_bytes_s, (sum(write_bytes::float8))::bigint AS write_bytes,
  (sum(write_bytes_s))::integer AS write_bytes_s, (sum(read_latency_us_sum))::double precision AS read_latency_us_sum,
  (sum(read_latency_us_ops::float8))::bigint AS read_latency_us_ops, max(read_latency_us_max) AS read_latency_us_max,
  (sum(write_latency_us_sum))::double precision AS write_latency_us_sum,
  (sum(write_latency_us_ops::float8))::bigint AS write_latency_us_ops,
  max(write_latency_us_max) AS write_latency_us_max,
  (sum(read_total_latency_us_sum))::double precision AS read_total_latency_us_sum,
  (sum(read_total_latency_us_ops::float8))::bigint AS read_total_latency_us_ops,
  max(read_total_latency_us_max) AS read_total_latency_us_max,
  (sum(write_total_latency_us_sum))::double precision AS write_total_latency_us_sum,
  (sum(write_total_latency_us_ops::float8))::bigint AS write_total_latency_us_ops,
  max(write_total_latency_us_max) AS write_total_latency_us_max,
  (sum(read_outstanding_sum::float8))::bigint AS read_outstanding_sum,
  (sum(read_outstanding_s))::integer AS read_outstanding_s, min(read_outstanding_min) AS read_outstanding_min,
  max(read_outstanding_max) AS read_outstanding_max,
  (sum(write_outstanding_sum::float8))::bigint AS write_outstanding_sum,
  (sum(write_outstanding_s))::integer AS write_outstanding_s, min(write_outstanding_min) AS write_outstanding_min,
  max(write_outstanding_max) AS write_outstanding_max, min(precision_min) AS precision_min,
  max(precision_max) AS precision_max FROM vm_disk_5m GROUP BY 1, 2 WITH NO DATA;

CREATE INDEX ix_vm_disk_1h_entity_bucket ON vm_disk_1h (entity_id, bucket);

SELECT add_continuous_aggregate_policy('vm_disk_1h', start_offset => INTERVAL '2505600 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '300 seconds');

ALTER MATERIALIZED VIEW vm_disk_1h SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('vm_disk_1h', after => INTERVAL '2592000 seconds');

SELECT add_retention_policy('vm_disk_1h', drop_after => INTERVAL '34560000 seconds');

