SELECT set_chunk_time_interval('array_volume_sample', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'array_volume_sample';

SELECT set_chunk_time_interval('array_directory_sample', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'array_directory_sample';

SELECT set_chunk_time_interval('array_wide_sample', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'array_wide_sample';

SELECT set_chunk_time_interval('array_port_sample', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'array_port_sample';

SELECT set_chunk_time_interval('host_device_sample', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'host_device_sample';

SELECT set_chunk_time_interval('vm_disk_sample', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'vm_disk_sample';

SELECT set_chunk_time_interval('path_sample', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'path_sample';

SELECT set_chunk_time_interval('adapter_sample', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'adapter_sample';

SELECT set_chunk_time_interval('guest_disk_sample', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'guest_disk_sample';

SELECT set_chunk_time_interval('ledger_leaf_1m', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'ledger_leaf_1m';

SELECT set_chunk_time_interval('ledger_1m', INTERVAL '28800 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'ledger_1m';

SELECT set_chunk_time_interval('array_volume_5m', INTERVAL '86400 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'array_volume_5m';

SELECT set_chunk_time_interval('array_volume_1h', INTERVAL '604800 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'array_volume_1h';

SELECT set_chunk_time_interval('array_directory_5m', INTERVAL '86400 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'array_directory_5m';

SELECT set_chunk_time_interval('array_directory_1h', INTERVAL '604800 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'array_directory_1h';

SELECT set_chunk_time_interval('array_wide_5m', INTERVAL '86400 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'array_wide_5m';

SELECT set_chunk_time_interval('array_wide_1h', INTERVAL '604800 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'array_wide_1h';

SELECT set_chunk_time_interval('host_device_5m', INTERVAL '86400 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'host_device_5m';

SELECT set_chunk_time_interval('host_device_1h', INTERVAL '604800 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'host_device_1h';

SELECT set_chunk_time_interval('vm_disk_5m', INTERVAL '86400 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'vm_disk_5m';

SELECT set_chunk_time_interval('vm_disk_1h', INTERVAL '604800 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'vm_disk_1h';

SELECT set_chunk_time_interval('vm_disk_aborts_5m', INTERVAL '86400 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'vm_disk_aborts_5m';

SELECT set_chunk_time_interval('vm_disk_aborts_1h', INTERVAL '604800 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'vm_disk_aborts_1h';

SELECT set_chunk_time_interval('ledger_5m', INTERVAL '86400 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'ledger_5m';

SELECT set_chunk_time_interval('ledger_1h', INTERVAL '604800 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'ledger_1h';

SELECT set_chunk_time_interval('ledger_measured_5m', INTERVAL '86400 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'ledger_measured_5m';

SELECT set_chunk_time_interval('ledger_measured_1h', INTERVAL '604800 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'ledger_measured_1h';

