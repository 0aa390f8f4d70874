CREATE TABLE host_cpu_5m_packed (entity_id integer NOT NULL, lo timestamptz NOT NULL, at smallint[] NOT NULL,
  n smallint[], covered_s smallint[], usage_basis_points_sum smallint[], usage_basis_points_s smallint[],
  usage_basis_points_min smallint[], usage_basis_points_max smallint[],
  CONSTRAINT pk_host_cpu_5m_packed PRIMARY KEY (entity_id, lo)) PARTITION BY RANGE (lo);

CREATE TABLE host_cpu_1h_packed (entity_id integer NOT NULL, lo timestamptz NOT NULL, at smallint[] NOT NULL,
  n smallint[], covered_s smallint[], usage_basis_points_sum smallint[], usage_basis_points_s smallint[],
  usage_basis_points_min smallint[], usage_basis_points_max smallint[],
  CONSTRAINT pk_host_cpu_1h_packed PRIMARY KEY (entity_id, lo)) PARTITION BY RANGE (lo);

CREATE TABLE host_cpu_sample_packed (entity_id integer NOT NULL, lo timestamptz NOT NULL,
  at integer[] STORAGE MAIN NOT NULL, interval_s integer[] STORAGE MAIN, usage_basis_points integer[] STORAGE MAIN,
  CONSTRAINT pk_host_cpu_sample_packed PRIMARY KEY (entity_id, lo)) PARTITION BY RANGE (lo);

ALTER TABLE host_cpu_5m_packed ALTER COLUMN at SET STORAGE MAIN, ALTER COLUMN n SET STORAGE MAIN,
  ALTER COLUMN covered_s SET STORAGE MAIN, ALTER COLUMN usage_basis_points_sum SET STORAGE MAIN,
  ALTER COLUMN usage_basis_points_s SET STORAGE MAIN, ALTER COLUMN usage_basis_points_min SET STORAGE MAIN,
  ALTER COLUMN usage_basis_points_max SET STORAGE MAIN;

ALTER TABLE host_cpu_1h_packed ALTER COLUMN at SET STORAGE MAIN, ALTER COLUMN n SET STORAGE MAIN,
  ALTER COLUMN covered_s SET STORAGE MAIN, ALTER COLUMN usage_basis_points_sum SET STORAGE MAIN,
  ALTER COLUMN usage_basis_points_s SET STORAGE MAIN, ALTER COLUMN usage_basis_points_min SET STORAGE MAIN,
  ALTER COLUMN usage_basis_points_max SET STORAGE MAIN;

