CREATE MATERIALIZED VIEW ledger_measured_5m WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '1 days') AS SELECT entity_id,
  time_bucket(INTERVAL '300 seconds', ts, origin => TIMESTAMPTZ '2000-01-03T00:00:00+00:00') AS bucket,
  (count(*))::int AS minutes, (count(coalesce(read_ops, write_ops)))::int AS ops_minutes,
  (count(outstanding_s))::int AS outstanding_minutes FROM ledger_1m GROUP BY 1, 2 WITH NO DATA;

CREATE INDEX ix_ledger_measured_5m_entity_bucket ON ledger_measured_5m (entity_id, bucket);

SELECT add_continuous_aggregate_policy('ledger_measured_5m', start_offset => INTERVAL '604800 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '60 seconds');

ALTER MATERIALIZED VIEW ledger_measured_5m SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('ledger_measured_5m', after => INTERVAL '691200 seconds');

SELECT add_retention_policy('ledger_measured_5m', drop_after => INTERVAL '2592000 seconds');

CREATE MATERIALIZED VIEW ledger_measured_1h WITH (timescaledb.continuous, timescaledb.materialized_only = true,
  timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '28 days') AS SELECT entity_id,
  time_bucket(INTERVAL '3600 seconds', bucket, origin => TIMESTAMPTZ '2000-01-03T00:00:00+00:00') AS bucket,
  (sum(minutes))::int AS minutes, (sum(ops_minutes))::int AS ops_minutes,
  (sum(outstanding_minutes))::int AS outstanding_minutes FROM ledger_measured_5m GROUP BY 1, 2 WITH NO DATA;

CREATE INDEX ix_ledger_measured_1h_entity_bucket ON ledger_measured_1h (entity_id, bucket);

SELECT add_continuous_aggregate_policy('ledger_measured_1h', start_offset => INTERVAL '2505600 seconds',
  end_offset => INTERVAL '60 seconds', schedule_interval => INTERVAL '300 seconds');

ALTER MATERIALIZED VIEW ledger_measured_1h SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'bucket');

CALL add_columnstore_policy('ledger_measured_1h', after => INTERVAL '2592000 seconds');

SELECT add_retention_policy('ledger_measured_1h', drop_after => INTERVAL '34560000 seconds');

