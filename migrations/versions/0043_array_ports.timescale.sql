CREATE TABLE array_port_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  received_bytes bigint, transmitted_bytes bigint, crc_errors integer, errors integer,
  CONSTRAINT pk_array_port_sample PRIMARY KEY (entity_id, ts));

SELECT create_hypertable('array_port_sample', by_range('ts', INTERVAL '7200 seconds'),
  create_default_indexes => false);

CREATE INDEX ix_array_port_sample_ts ON array_port_sample USING brin (ts) WITH (pages_per_range = 16);

ALTER TABLE array_port_sample SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id',
  timescaledb.orderby = 'ts');

CALL add_columnstore_policy('array_port_sample', after => INTERVAL '7200 seconds');

SELECT add_retention_policy('array_port_sample', drop_after => INTERVAL '1209600 seconds');

