SELECT set_chunk_time_interval('host_cpu_sample', INTERVAL '21600 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'host_cpu_sample';

SELECT set_chunk_time_interval('host_cpu_5m', INTERVAL '86400 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'host_cpu_5m';

SELECT set_chunk_time_interval('host_cpu_1h', INTERVAL '604800 seconds');

SELECT alter_job(j.job_id, schedule_interval => INTERVAL '900 seconds', config => jsonb_set(j.config,
  '{compress_after}',
  to_jsonb('3600 seconds'::text))) FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a ON (a.materialization_hypertable_schema,
  a.materialization_hypertable_name) = (j.hypertable_schema,
  j.hypertable_name) WHERE j.proc_name = 'policy_compression' AND coalesce(a.view_name,
  j.hypertable_name) = 'host_cpu_1h';

