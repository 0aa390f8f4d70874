import { expect, it } from 'vitest'
import { limitLines, qosLimitOf } from './useQosLimits'

it('the limit is that of the one volume something lies on; of several it is none’s', () => {
  const volume = (qos_iops_limit: number | null) => ({ qos_iops_limit })
  expect([[volume(12_000)], [volume(null)], [volume(12_000), volume(12_000)], []].map(qosLimitOf)).toEqual([
    12_000,
    null,
    null,
    null,
  ])
  expect(limitLines(null)).toEqual([])
  expect(limitLines(12_000)).toEqual([
    { panel: 'iops', value: 12_000, label: 'QoS limit (reads and writes): 12,000 IOPS' },
  ])
})
