CREATE TABLE array_port_sample_packed (entity_id integer NOT NULL, lo timestamptz NOT NULL,
  at integer[] STORAGE MAIN NOT NULL, interval_s integer[] STORAGE MAIN, received_bytes bigint[] STORAGE MAIN,
  transmitted_bytes bigint[] STORAGE MAIN, crc_errors integer[] STORAGE MAIN, errors integer[] STORAGE MAIN,
  CONSTRAINT pk_array_port_sample_packed PRIMARY KEY (entity_id, lo)) PARTITION BY RANGE (lo);

