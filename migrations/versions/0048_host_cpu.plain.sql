CREATE TABLE host_cpu_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  usage_basis_points integer, CONSTRAINT pk_host_cpu_sample PRIMARY KEY (entity_id, ts)) PARTITION BY RANGE (ts);

CREATE INDEX ix_host_cpu_sample_ts ON host_cpu_sample USING brin (ts) WITH (pages_per_range = 16);

CREATE TABLE host_cpu_5m (entity_id integer NOT NULL, bucket timestamptz NOT NULL, n integer, covered_s integer,
  usage_basis_points_sum bigint, usage_basis_points_s integer, usage_basis_points_min integer,
  usage_basis_points_max integer, CONSTRAINT pk_host_cpu_5m PRIMARY KEY (entity_id,
  bucket)) PARTITION BY RANGE (bucket);

CREATE TABLE host_cpu_1h (entity_id integer NOT NULL, bucket timestamptz NOT NULL, n integer, covered_s integer,
  usage_basis_points_sum bigint, usage_basis_points_s integer, usage_basis_points_min integer,
  usage_basis_points_max integer, CONSTRAINT pk_host_cpu_1h PRIMARY KEY (entity_id,
  bucket)) PARTITION BY RANGE (bucket);

