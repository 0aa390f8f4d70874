import { expect, it } from 'vitest'
import { policyWords } from './pathPolicy'

it('a path policy says when it changes the path, and one that nobody knows stays as it is', () => {
  expect(
    [
      'VMW_PSP_RR policy=iops,iops=1,bytes=10485760,useANO=0',
      'VMW_PSP_RR policy=rr,iops=1000,bytes=10485760,useANO=0',
      'VMW_PSP_RR policy=latency,latencyEvalTime=180000',
      'VMW_PSP_MRU',
      'PURE_PSP x=1',
    ].map(policyWords),
  ).toEqual(['Round robin, 1 I/O', 'Round robin', 'Round robin, by latency', 'Most recently used', 'PURE_PSP x=1'])
})
