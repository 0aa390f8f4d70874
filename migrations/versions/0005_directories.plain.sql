CREATE TABLE array_directory_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL,
  interval_s integer NOT NULL, read_ops integer, write_ops integer, read_bytes bigint, write_bytes bigint,
  read_usec_us integer, write_usec_us integer, CONSTRAINT pk_array_directory_sample PRIMARY KEY (entity_id,
  ts)) PARTITION BY RANGE (ts);

CREATE INDEX ix_array_directory_sample_ts ON array_directory_sample USING brin (ts) WITH (pages_per_range = 16);

CREATE TABLE array_directory_5m (entity_id integer NOT NULL, bucket timestamptz NOT NULL, n integer,
  covered_s integer, read_ops bigint, read_ops_s integer, write_ops bigint, write_ops_s integer, read_bytes bigint,
  read_bytes_s integer, write_bytes bigint, write_bytes_s integer, read_usec_us_sum double precision,
  read_usec_us_ops bigint, read_usec_us_max integer, write_usec_us_sum double precision, write_usec_us_ops bigint,
  write_usec_us_max integer, CONSTRAINT pk_array_directory_5m PRIMARY KEY (entity_id,
  bucket)) PARTITION BY RANGE (bucket);

CREATE TABLE array_directory_1h (entity_id integer NOT NULL, bucket timestamptz NOT NULL, n integer,
  covered_s integer, read_ops bigint, read_ops_s integer, write_ops bigint, write_ops_s integer, read_bytes bigint,
  read_bytes_s integer, write_bytes bigint, write_bytes_s integer, read_usec_us_sum double precision,
  read_usec_us_ops bigint, read_usec_us_max integer, write_usec_us_sum double precision, write_usec_us_ops bigint,
  write_usec_us_max integer, CONSTRAINT pk_array_directory_1h PRIMARY KEY (entity_id,
  bucket)) PARTITION BY RANGE (bucket);

