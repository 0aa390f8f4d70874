/** A cause and a scoreboard with known numbers, for tests. */

import type { Cause, LayerScore } from '../api/types'

/** One VM fills the queue of a device: 98 % of the I/O, ACTV ≈ 32 of 32. */
export const queueCause: Cause = {
  kind: 'device_queue_full',
  label: 'Device queue full',
  confidence: 'confirmed',
  headline: 'vdi-03 fills the queue of device vdi-08 on esx-04',
  text: 'vdi-03 issues 98 % of the I/O; the queue of device vdi-08 on esx-04 is full (ACTV ≈ 32, DQLEN 32, QUED ≈ 30)',
  object: { name: 'vdi-03', refs: [{ kind: 'vm', id: 3, name: 'vdi-03' }] },
  object_count: 1,
  on: {
    name: 'device vdi-08 on esx-04',
    refs: [
      { kind: 'host', id: 4, name: 'esx-04' },
      { kind: 'device', id: 40, name: 'vdi-08' },
    ],
  },
  share: 0.98,
  share_of: 'I/O in the queue',
  iops: 61_060,
  limit: {
    name: 'DQLEN',
    value: 32,
    used: 31.8,
    used_share: 31.8 / 32,
    unit: 'I/Os',
    is_derived: true,
    set_where: 'host: queue depth of the HBA module',
  },
  twin: { elevated_minutes: 5, binding_minutes: 5, normal_minutes: 15, normal_binding_minutes: 0 },
  evidence: [
    { label: 'Queued I/Os (QUED)', value: 30.2, unit: 'I/Os', is_derived: true, lower: null, upper: null },
    { label: 'Kernel queue (QAVG)', value: 480, unit: 'µs', is_derived: false, lower: 410, upper: null },
  ],
  changed: {
    object: { name: 'vdi-03', refs: [{ kind: 'vm', id: 3, name: 'vdi-03' }] },
    at: '2026-11-22T21:26:00Z',
    added_share: 0.97,
    changes: [
      { label: 'IOPS', before: 210, after: 61_060, unit: 'IOPS' },
      { label: 'I/O size', before: 8192, after: 8192, unit: 'bytes' },
      { label: 'Read share', before: null, after: 0.7, unit: 'share' },
    ],
    text: 'vdi-03: 210 to 61,060 IOPS at 21:26 UTC',
  },
  candidates: [],
  finding: 'device-queue-full',
  action: 'Spread the busiest VMs over more datastores before any queue depth is raised',
  from_at: '2026-11-22T21:26:00Z',
  to_at: '2026-11-22T21:31:00Z',
}

export const noCause: Cause = {
  ...queueCause,
  kind: 'no_single_cause',
  label: 'No single cause',
  confidence: null,
  headline: 'No single cause',
  text: 'No single cause; possible: Hard disk 2 of mail-01 at its IOPS limit of 1,500',
  object: null,
  object_count: 0,
  on: null,
  share: null,
  share_of: null,
  iops: null,
  limit: null,
  twin: null,
  evidence: [],
  changed: null,
  candidates: [
    {
      kind: 'iops_limit',
      object: { name: 'Hard disk 2 of mail-01', refs: [] },
      on: null,
      weight: 0.41,
      headline: 'Hard disk 2 of mail-01 at its IOPS limit of 1,500',
      text: 'Hard disk 2 of mail-01 is at its IOPS limit',
      needs: 'limit in use in 60 % of the elevated minutes',
    },
  ],
  finding: null,
  action: '',
}

export const score = (layer: LayerScore['layer'], given: Partial<LayerScore> = {}): LayerScore => ({
  layer,
  label: { guest: 'Guest', kernel: 'Kernel', san: 'SAN', array: 'Array' }[layer],
  us: 100,
  lower_us: 90,
  upper_us: 110,
  baseline_us: 90,
  delta_us: 10,
  delta_lower_us: 0,
  delta_upper_us: 20,
  state: 'normal',
  merged_with: [],
  is_own: true,
  ...given,
})

const nothing = {
  us: null,
  lower_us: null,
  upper_us: null,
  baseline_us: null,
  delta_us: null,
  delta_lower_us: null,
  delta_upper_us: null,
} as const

/** Kernel 0.51 ms is the cause, SAN and array are not, the guest was not measured. */
export const queueScores: LayerScore[] = [
  score('guest', { ...nothing, state: 'not_measured' }),
  score('kernel', {
    us: 510,
    lower_us: 470,
    upper_us: 590,
    baseline_us: 0,
    delta_us: 510,
    delta_lower_us: 470,
    delta_upper_us: 590,
    state: 'cause',
  }),
  score('san', { us: 130, baseline_us: 120, state: 'not_the_cause' }),
  score('array', { us: 360, baseline_us: 400, delta_us: -40, state: 'not_the_cause' }),
]
