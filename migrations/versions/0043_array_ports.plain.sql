CREATE TABLE array_port_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  received_bytes bigint, transmitted_bytes bigint, crc_errors integer, errors integer,
  CONSTRAINT pk_array_port_sample PRIMARY KEY (entity_id, ts)) PARTITION BY RANGE (ts);

CREATE INDEX ix_array_port_sample_ts ON array_port_sample USING brin (ts) WITH (pages_per_range = 16);

