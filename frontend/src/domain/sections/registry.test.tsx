import { expect, it } from 'vitest'
import { sectionsOf } from './registry'
import type { Section } from './section'

const own = (id: string, tab: Section['tab'], more: Partial<Section> = {}): Section => {
  return { id, title: id, tab, render: () => null, ...more }
}

it('what a kind has alone stands before the counters of all kinds, and what is last below them', () => {
  const all = sectionsOf([
    own('test-runs', 'counters', { isLast: true }),
    own('disks', 'path'),
    own('files', 'counters'),
  ])
  const ids = (tab: Section['tab']) => all.filter((section) => section.tab === tab).map(({ id }) => id)
  expect(ids('path')).toEqual(['hops', 'disks', 'outstanding'])
  expect(ids('counters')).toEqual([
    'files',
    'details',
    'evidence',
    'differences',
    'layers-over-time',
    'last-minute',
    'raw',
    'test-runs',
  ])
})
