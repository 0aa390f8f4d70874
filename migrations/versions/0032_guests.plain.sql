CREATE TABLE guest_disk_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, write_ops integer, read_bytes bigint, write_bytes bigint, read_latency_us integer,
  write_latency_us integer, queue_time_ms integer, latency_step integer, data_quality integer,
  CONSTRAINT pk_guest_disk_sample PRIMARY KEY (entity_id, ts)) PARTITION BY RANGE (ts);

CREATE INDEX ix_guest_disk_sample_ts ON guest_disk_sample USING brin (ts) WITH (pages_per_range = 16);

