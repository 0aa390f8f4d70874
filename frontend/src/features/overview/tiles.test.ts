import { expect, it } from 'vitest'
import type { OverviewRow } from '../../api/types'
import { headOf } from '../../testing/sentences'
import { tileOf } from './tiles'

const losing = {
  subject: { kind: 'datastore', id: 5, name: 'app-05' },
  arrays: [
    { kind: 'array', id: 1, name: 'fa-1' },
    { kind: 'array', id: 2, name: 'fa-2' },
  ],
  state: 'judged',
  severity: 'elevated',
  confidence: 'likely',
  layer: 'kernel',
  other: null,
  layers: [{ name: 'kernel', layers: ['kernel'], excess_us: 250 }],
  sentence: headOf('Kernel queue on esx-14: 0.44 of 0.93 ms'),
  iops: 2000,
  total_us: 930,
  excess_us: 250,
  baseline_us: 600,
  until_at: null,
} as unknown as OverviewRow

it('what is elevated is named in the color of its layer, under the arrays that it is on', () => {
  expect(tileOf(losing, 'utc')).toEqual({
    id: 'datastore-5',
    name: 'app-05',
    group: { id: 'array-1,array-2', name: 'fa-1 + fa-2' },
    ios: 1.86,
    words: 'Kernel queue on esx-14, +0.25 ms',
    layers: ['kernel'],
    look: 'likely',
    strength: 'little',
  })
})

it('what lost time until a moment ago is calm, and says that it ended', () => {
  const ended = tileOf({ ...losing, until_at: '2026-11-22T15:54:00Z' }, 'utc')
  expect(ended).toMatchObject({ words: 'Cleared 15:54', layers: [], look: 'calm' })
})
