CREATE TABLE host_cpu_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  usage_basis_points integer, CONSTRAINT pk_host_cpu_sample PRIMARY KEY (entity_id, ts));

SELECT create_hypertable('host_cpu_sample', by_range('ts', INTERVAL '7200 seconds'),
  create_default_indexes => false);

CREATE INDEX ix_host_cpu_sample_ts ON host_cpu_sample USING brin (ts) WITH (pages_per_range = 16);

ALTER TABLE host_cpu_sample SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'ts');

CALL add_columnstore_policy('host_cpu_sample', after => INTERVAL '7200 seconds');

SELECT add_retention_policy('host_cpu_sample', drop_after => INTERVAL '1209600 seconds');

CREATE MATERIALIZED VIEW host_cpu_5m WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '1 days') AS SELECT entity_id,
  time_bucket(INTERVAL '300 seconds', ts, origin => TIMESTAMPTZ '2000-01-03T00:00:00.000001+00:00') AS bucket,
  count(*)::int AS n, sum(interval_s)::int AS covered_s,
  (sum(usage_basis_points::bigint * interval_s))::bigint AS usage_basis_points_sum,
  (sum(interval_s) FILTER (WHERE usage_basis_points IS NOT NULL))::integer AS usage_basis_points_s,
  min(usage_basis_points) AS usage_basis_points_min,
  max(usage_basis_points) AS usage_basis_points_max FROM host_cpu_sample GROUP BY 1, 2 WITH NO DATA;

CREATE INDEX ix_host_cpu_5m_entity_bucket ON host_cpu_5m (entity_id, bucket);

SELECT add_continuous_aggregate_policy('host_cpu_5m', start_offset => INTERVAL '1123200 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '60 seconds');

ALTER MATERIALIZED VIEW host_cpu_5m SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('host_cpu_5m', after => INTERVAL '1209600 seconds');

SELECT add_retention_policy('host_cpu_5m', drop_after => INTERVAL '2592000 seconds');

CREATE MATERIALIZED VIEW host_cpu_1h WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '28 days') AS SELECT entity_id,
  time_bucket(INTERVAL '3600 seconds', bucket, origin => TIMESTAMPTZ '2000-01-03T00:00:00.000001+00:00') AS bucket,
  sum(n)::int AS n, sum(covered_s)::int AS covered_s,
  (sum(usage_basis_points_sum::float8))::bigint AS usage_basis_points_sum,
  (sum(usage_basis_points_s))::integer AS usage_basis_points_s, min(usage_basis_points_min) AS usage_basis_points_min,
  max(usage_basis_points_max) AS usage_basis_points_max FROM host_cpu_5m GROUP BY 1, 2 WITH NO DATA;

CREATE INDEX ix_host_cpu_1h_entity_bucket ON host_cpu_1h (entity_id, bucket);

SELECT add_continuous_aggregate_policy('host_cpu_1h', start_offset => INTERVAL '2505600 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '300 seconds');

ALTER MATERIALIZED VIEW host_cpu_1h SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('host_cpu_1h', after => INTERVAL '2592000 seconds');

SELECT add_retention_policy('host_cpu_1h', drop_after => INTERVAL '34560000 seconds');

