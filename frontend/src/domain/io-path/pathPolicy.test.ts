import { expect, it } from 'vitest'
import { policyWords } from './pathPolicy'

const policy = (plugin: string, by: 'iops' | 'latency' | null = null, iops: number | null = null) => ({
  text: `${plugin} x=1`,
  plugin,
  by,
  iops,
})

it('a path policy says when it changes the path, and one that nobody knows stays as it is', () => {
  expect(
    [
      policy('VMW_PSP_RR', 'iops', 1),
      policy('VMW_PSP_RR'),
      policy('VMW_PSP_RR', 'latency'),
      policy('VMW_PSP_MRU'),
      policy('PURE_PSP'),
    ].map(policyWords),
  ).toEqual(['Round robin, 1 I/O', 'Round robin', 'Round robin, by latency', 'Most recently used', 'PURE_PSP x=1'])
})
