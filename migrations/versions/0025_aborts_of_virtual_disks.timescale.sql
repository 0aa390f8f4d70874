CREATE MATERIALIZED VIEW vm_disk_aborts_5m WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '1 days') AS SELECT entity_id,
  time_bucket(INTERVAL '300 seconds', ts, origin => TIMESTAMPTZ '2000-01-03T00:00:00.000001+00:00') AS bucket,
  (sum(aborts::float8))::bigint AS aborts,
  (sum(interval_s) FILTER (WHERE aborts IS NOT NULL))::integer AS aborts_s FROM vm_disk_sample GROUP BY 1,
  2 WITH NO DATA;

CREATE INDEX ix_vm_disk_aborts_5m_entity_bucket ON vm_disk_aborts_5m (entity_id, bucket);

SELECT add_continuous_aggregate_policy('vm_disk_aborts_5m', start_offset => INTERVAL '1123200 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '60 seconds');

ALTER MATERIALIZED VIEW vm_disk_aborts_5m SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('vm_disk_aborts_5m', after => INTERVAL '1209600 seconds');

SELECT add_retention_policy('vm_disk_aborts_5m', drop_after => INTERVAL '2592000 seconds');

CREATE MATERIALIZED VIEW vm_disk_aborts_1h WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '28 days') AS SELECT entity_id,
  time_bucket(INTERVAL '3600 seconds', bucket, origin => TIMESTAMPTZ '2000-01-03T00:00:00.000001+00:00') AS bucket,
  (sum(aborts::float8))::bigint AS aborts, (sum(aborts_s))::integer AS aborts_s FROM vm_disk_aborts_5m GROUP BY 1,
  2 WITH NO DATA;

CREATE INDEX ix_vm_disk_aborts_1h_entity_bucket ON vm_disk_aborts_1h (entity_id, bucket);

SELECT add_continuous_aggregate_policy('vm_disk_aborts_1h', start_offset => INTERVAL '2505600 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '300 seconds');

ALTER MATERIALIZED VIEW vm_disk_aborts_1h SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('vm_disk_aborts_1h', after => INTERVAL '2592000 seconds');

SELECT add_retention_policy('vm_disk_aborts_1h', drop_after => INTERVAL '34560000 seconds');

