CREATE TABLE vm_disk_aborts_5m (entity_id integer NOT NULL, bucket timestamptz NOT NULL, aborts bigint,
  aborts_s integer, CONSTRAINT pk_vm_disk_aborts_5m PRIMARY KEY (entity_id, bucket)) PARTITION BY RANGE (bucket);

CREATE TABLE vm_disk_aborts_1h (entity_id integer NOT NULL, bucket timestamptz NOT NULL, aborts bigint,
  aborts_s integer, CONSTRAINT pk_vm_disk_aborts_1h PRIMARY KEY (entity_id, bucket)) PARTITION BY RANGE (bucket);

