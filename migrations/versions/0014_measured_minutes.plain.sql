CREATE TABLE ledger_measured_5m (entity_id integer NOT NULL, bucket timestamptz NOT NULL, minutes integer,
  ops_minutes integer, outstanding_minutes integer, CONSTRAINT pk_ledger_measured_5m PRIMARY KEY (entity_id,
  bucket)) PARTITION BY RANGE (bucket);

CREATE TABLE ledger_measured_1h (entity_id integer NOT NULL, bucket timestamptz NOT NULL, minutes integer,
  ops_minutes integer, outstanding_minutes integer, CONSTRAINT pk_ledger_measured_1h PRIMARY KEY (entity_id,
  bucket)) PARTITION BY RANGE (bucket);

