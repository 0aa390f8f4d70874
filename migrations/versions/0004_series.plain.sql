CREATE TABLE array_volume_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, read_bytes bigint, write_ops integer, write_bytes bigint, mirrored_write_ops integer,
  mirrored_write_bytes bigint, read_service_us integer, read_queue_us integer, read_qos_us integer,
  read_qos_sched_us integer, read_san_us integer, read_usec_us integer, write_service_us integer,
  write_queue_us integer, write_qos_us integer, write_qos_sched_us integer, write_san_us integer,
  write_usec_us integer, mirrored_write_service_us integer, mirrored_write_queue_us integer,
  mirrored_write_qos_us integer, mirrored_write_qos_sched_us integer, mirrored_write_san_us integer,
  mirrored_write_usec_us integer, CONSTRAINT pk_array_volume_sample PRIMARY KEY (entity_id,
  ts)) PARTITION BY RANGE (ts);

CREATE INDEX ix_array_volume_sample_ts ON array_volume_sample USING brin (ts) WITH (pages_per_range = 16);

CREATE TABLE host_device_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, write_ops integer, read_bytes bigint, write_bytes bigint, read_gavg_us integer,
  read_davg_us integer, read_kavg_us integer, read_qavg_us integer, write_gavg_us integer, write_davg_us integer,
  write_kavg_us integer, write_qavg_us integer, queue_depth integer, aborts integer, bus_resets integer,
  precision integer, CONSTRAINT pk_host_device_sample PRIMARY KEY (entity_id, ts)) PARTITION BY RANGE (ts);

CREATE INDEX ix_host_device_sample_ts ON host_device_sample USING brin (ts) WITH (pages_per_range = 16);

CREATE TABLE vm_disk_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, write_ops integer, read_bytes bigint, write_bytes bigint, read_latency_us integer,
  write_latency_us integer, read_total_latency_us integer, write_total_latency_us integer, read_outstanding integer,
  write_outstanding integer, precision integer, CONSTRAINT pk_vm_disk_sample PRIMARY KEY (entity_id,
  ts)) PARTITION BY RANGE (ts);

CREATE INDEX ix_vm_disk_sample_ts ON vm_disk_sample USING brin (ts) WITH (pages_per_range = 16);

CREATE TABLE path_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, write_ops integer, read_bytes bigint, write_bytes bigint, read_latency_us integer,
  write_latency_us integer, precision integer, CONSTRAINT pk_path_sample PRIMARY KEY (entity_id,
  ts)) PARTITION BY RANGE (ts);

CREATE INDEX ix_path_sample_ts ON path_sample USING brin (ts) WITH (pages_per_range = 16);

CREATE TABLE adapter_sample (ts timestamptz NOT NULL, entity_id integer NOT NULL, interval_s integer NOT NULL,
  read_ops integer, write_ops integer, read_bytes bigint, write_bytes bigint, read_latency_us integer,
  write_latency_us integer, queue_depth integer, queued integer, outstanding integer, precision integer,
  CONSTRAINT pk_adapter_sample PRIMARY KEY (entity_id, ts)) PARTITION BY RANGE (ts);

CREATE INDEX ix_adapter_sample_ts ON adapter_sample USING brin (ts) WITH (pages_per_range = 16);

CREATE TABLE array_volume_5m (entity_id integer NOT NULL, bucket timestamptz NOT NULL, n integer, covered_s integer,
  read_ops bigint, read_ops_s integer, read_bytes bigint, read_bytes_s integer, write_ops bigint, write_ops_s integer,
  write_bytes bigint, write_bytes_s integer, mirrored_write_ops bigint, mirrored_write_ops_s integer,
  mirrored_write_bytes bigint, mirrored_write_bytes_s integer, read_service_us_sum double precision,
  read_service_us_ops bigint, read_service_us_max integer, read_queue_us_sum double precision,
  read_queue_us_ops bigint, read_queue_us_max integer, read_qos_us_sum double precision, read_qos_us_ops bigint,
  read_qos_us_max integer, read_qos_sched_us_sum double precision, read_qos_sched_us_ops bigint,
  read_qos_sched_us_max integer, read_san_us_sum double precision, read_san_us_ops bigint, read_san_us_max integer,
  read_usec_us_sum double precision, read_usec_us_ops bigint, read_usec_us_max integer,
  write_service_us_sum double precision, write_service_us_ops bigint, write_service_us_max integer,
  write_queue_us_sum double precision, write_queue_us_ops bigint, write_queue_us_max integer,
  write_qos_us_sum double precision, write_qos_us_ops bigint, write_qos_us_max integer,
  write_qos_sched_us_sum double precision, write_qos_sched_us_ops bigint, write_qos_sched_us_max integer,
  write_san_us_sum double precision, write_san_us_ops bigint, write_san_us_max integer,
  write_usec_us_sum double precision, write_usec_us_ops bigint, write_usec_us_max integer,
  mirrored_write_service_us_sum double precision, mirrored_write_service_us_ops bigint,
  mirrored_write_service_us_max integer, mirrored_write_queue_us_sum double precision,
  mirrored_write_queue_us_ops bigint, mirrored_write_queue_us_max integer, mirrored_write_qos_us_sum double precision,
  mirrored_write_qos_us_ops bigint, mirrored_write_qos_us_max integer,
  mirrored_write_qos_sched_us_sum double precision, mirrored_write_qos_sched_us_ops bigint,
  mirrored_write_qos_sched_us_max integer, mirrored_write_san_us_sum double precision,
  mirrored_write_san_us_ops bigint, mirrored_write_san_us_max integer, mirrored_write_usec_us_sum double precision,
  mirrored_write_usec_us_ops bigint, mirrored_write_usec_us_max integer,
  CONSTRAINT pk_array_volume_5m PRIMARY KEY (entity_id, bucket)) PARTITION BY RANGE (bucket);

CREATE TABLE array_volume_1h (entity_id integer NOT NULL, bucket timestamptz NOT NULL, n integer, covered_s integer,
  read_ops bigint, read_ops_s integer, read_bytes bigint, read_bytes_s integer, write_ops bigint, write_ops_s integer,
  write_bytes bigint, write_bytes_s integer, mirrored_write_ops bigint, mirrored_write_ops_s integer,
  mirrored_write_bytes bigint, mirrored_write_bytes_s integer, read_service_us_sum double precision,
  read_service_us_ops bigint, read_service_us_max integer, read_queue_us_sum double precision,
  read_queue_us_ops bigint, read_queue_us_max integer, read_qos_us_sum double precision, read_qos_us_ops bigint,
  read_qos_us_max integer, read_qos_sched_us_sum double precision, read_qos_sched_us_ops bigint,
  read_qos_sched_us_max integer, read_san_us_sum double precision, read_san_us_ops bigint, read_san_us_max integer,
  read_usec_us_sum double precision, read_usec_us_ops bigint, read_usec_us_max integer,
  write_service_us_sum double precision, write_service_us_ops bigint, write_service_us_max integer,
  write_queue_us_sum double precision, write_queue_us_ops bigint, write_queue_us_max integer,
  write_qos_us_sum double precision, write_qos_us_ops bigint, write_qos_us_max integer,
  write_qos_sched_us_sum double precision, write_qos_sched_us_ops bigint, write_qos_sched_us_max integer,
  write_san_us_sum double precision, write_san_us_ops bigint, write_san_us_max integer,
  write_usec_us_sum double precision, write_usec_us_ops bigint, write_usec_us_max integer,
  mirrored_write_service_us_sum double precision, mirrored_write_service_us_ops bigint,
  mirrored_write_service_us_max integer, mirrored_write_queue_us_sum double precision,
  mirrored_write_queue_us_ops bigint, mirrored_write_queue_us_max integer, mirrored_write_qos_us_sum double precision,
  mirrored_write_qos_us_ops bigint, mirrored_write_qos_us_max integer,
  mirrored_write_qos_sched_us_sum double precision, mirrored_write_qos_sched_us_ops bigint,
  mirrored_write_qos_sched_us_max integer, mirrored_write_san_us_sum double precision,
  mirrored_write_san_us_ops bigint, mirrored_write_san_us_max integer, mirrored_write_usec_us_sum double precision,
  mirrored_write_usec_us_ops bigint, mirrored_write_usec_us_max integer,
  CONSTRAINT pk_array_volume_1h PRIMARY KEY (entity_id, bucket)) PARTITION BY RANGE (bucket);

CREATE TABLE host_device_5m (entity_id integer NOT NULL, bucket timestamptz NOT NULL, n integer, covered_s integer,
  read_ops bigint, read_ops_s integer, write_ops bigint, write_ops_s integer, read_bytes bigint, read_bytes_s integer,
  write_bytes bigint, write_bytes_s integer, read_gavg_us_sum double precision, read_gavg_us_ops bigint,
  read_gavg_us_max integer, read_davg_us_sum double precision, read_davg_us_ops bigint, read_davg_us_max integer,
  read_kavg_us_sum double precision, read_kavg_us_ops bigint, read_kavg_us_max integer,
  read_qavg_us_sum double precision, read_qavg_us_ops bigint, read_qavg_us_max integer,
  write_gavg_us_sum double precision, write_gavg_us_ops bigint, write_gavg_us_max integer,
  write_davg_us_sum double precision, write_davg_us_ops bigint, write_davg_us_max integer,
  write_kavg_us_sum double precision, write_kavg_us_ops bigint, write_kavg_us_max integer,
  write_qavg_us_sum double precision, write_qavg_us_ops bigint, write_qavg_us_max integer, queue_depth_sum bigint,
  queue_depth_s integer, queue_depth_min integer, queue_depth_max integer, aborts bigint, aborts_s integer,
  bus_resets bigint, bus_resets_s integer, precision_min integer, precision_max integer,
  CONSTRAINT pk_host_device_5m PRIMARY KEY (entity_id, bucket)) PARTITION BY RANGE (bucket);

CREATE TABLE host_device_1h (entity_id integer NOT NULL, bucket timestamptz NOT NULL, n integer, covered_s integer,
  read_ops bigint, read_ops_s integer, write_ops bigint, write_ops_s integer, read_bytes bigint, read_bytes_s integer,
  write_bytes bigint, write_bytes_s integer, read_gavg_us_sum double precision, read_gavg_us_ops bigint,
  read_gavg_us_max integer, read_davg_us_sum double precision, read_davg_us_ops bigint, read_davg_us_max integer,
  read_kavg_us_sum double precision, read_kavg_us_ops bigint, read_kavg_us_max integer,
  read_qavg_us_sum double precision, read_qavg_us_ops bigint, read_qavg_us_max integer,
  write_gavg_us_sum double precision, write_gavg_us_ops bigint, write_gavg_us_max integer,
  write_davg_us_sum double precision, write_davg_us_ops bigint, write_davg_us_max integer,
  write_kavg_us_sum double precision, write_kavg_us_ops bigint, write_kavg_us_max integer,
  write_qavg_us_sum double precision, write_qavg_us_ops bigint, write_qavg_us_max integer, queue_depth_sum bigint,
  queue_depth_s integer, queue_depth_min integer, queue_depth_max integer, aborts bigint, aborts_s integer,
  bus_resets bigint, bus_resets_s integer, precision_min integer, precision_max integer,
  CONSTRAINT pk_host_device_1h PRIMARY KEY (entity_id, bucket)) PARTITION BY RANGE (bucket);

CREATE TABLE vm_disk_5m (entity_id integer NOT NULL, bucket timestamptz NOT NULL, n integer, covered_s integer,
  read_ops bigint, read_ops_s integer, write_ops bigint, write_ops_s integer, read_bytes bigint, read_bytes_s integer,
  write_bytes bigint, write_bytes_s integer, read_latency_us_sum double precision, read_latency_us_ops bigint,
  read_latency_us_max integer, write_latency_us_sum double precision, write_latency_us_ops bigint,
  write_latency_us_max integer, read_total_latency_us_sum double precision, read_total_latency_us_ops bigint,
  read_total_latency_us_max integer, write_total_latency_us_sum double precision, write_total_latency_us_ops bigint,
  write_total_latency_us_max integer, read_outstanding_sum bigint, read_outstanding_s integer,
  read_outstanding_min integer, read_outstanding_max integer, write_outstanding_sum bigint,
  write_outstanding_s integer, write_outstanding_min integer, write_outstanding_max integer, precision_min integer,
  precision_max integer, CONSTRAINT pk_vm_disk_5m PRIMARY KEY (entity_id, bucket)) PARTITION BY RANGE (bucket);

CREATE TABLE vm_disk_1h (entity_id integer NOT NULL, bucket timestamptz NOT NULL, n integer, covered_s integer,
  read_ops bigint, read_ops_s integer, write_ops bigint, write_ops_s integer, read_bytes bigint, read_bytes_s integer,
  write_bytes bigint, write_bytes_s integer, read_latency_us_sum double precision, read_latency_us_ops bigint,
  read_latency_us_max integer, write_latency_us_sum double precision, write_latency_us_ops bigint,
  write_latency_us_max integer, read_total_latency_us_sum double precision, read_total_latency_us_ops bigint,
  read_total_latency_us_max integer, write_total_latency_us_sum double precision, write_total_latency_us_ops bigint,
  write_total_latency_us_max integer, read_outstanding_sum bigint, read_outstanding_s integer,
  read_outstanding_min integer, read_outstanding_max integer, write_outstanding_sum bigint,
  write_outstanding_s integer, write_outstanding_min integer, write_outstanding_max integer, precision_min integer,
  precision_max integer, CONSTRAINT pk_vm_disk_1h PRIMARY KEY (entity_id, bucket)) PARTITION BY RANGE (bucket);

