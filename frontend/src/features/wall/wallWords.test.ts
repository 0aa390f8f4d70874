import { describe, expect, it } from 'vitest'
import type { AlertOut, Overview, SourceOut } from '../../api/types'
import { firesWords, judgedWords, losingWords, nothingJudged, oldWords, sourcesWords } from './wallWords'

const NOW = Date.UTC(2026, 10, 22, 11, 48, 25)
const at = (seconds: number) => new Date(NOW - seconds * 1000).toISOString()
const source = (state: SourceOut['state'], ...ages_s: (number | null)[]) =>
  ({
    state,
    streams: ages_s.map((age) => ({ until_at: age === null ? null : at(age) })),
  }) as SourceOut

describe('an age on a wall', () => {
  it('says what it is of: the end of the newest judged minute', () => {
    expect(judgedWords('2026-11-22T11:47:00Z', 85_000, 'utc')).toBe('Analyzed through 11:47, 85 s ago')
    expect(judgedWords(null, null, 'utc')).toBe('Not analyzed yet')
  })

  it('of a tile is short, and nothing where there is none', () => {
    expect([85_000, 400_000, null].map(oldWords)).toEqual(['85 s ago', '7 min ago', ''])
  })
})

describe('alerts on a wall', () => {
  it('are counted once, before their severities', () => {
    const alerts = (count: number) => Array.from({ length: count }, () => ({}) as AlertOut)
    expect([0, 1, 3].map((count) => firesWords(alerts(count)))).toEqual([
      'No active alerts',
      '1 alert firing:',
      '3 alerts firing:',
    ])
  })
})

describe('sources on a wall', () => {
  it('say how many are live and how old the newest number of any is', () => {
    expect(sourcesWords([source('live', 12, 40), source('late', 300)], NOW)).toBe(
      '1 of 2 sources live, last sample 12 s ago',
    )
    expect(sourcesWords([source('waiting', null)], NOW)).toBe('0 of 1 source live')
    expect(sourcesWords([], NOW)).toBe('0 of 0 sources live')
  })

  it('tell why nothing is judged, and where to go', () => {
    expect(nothingJudged([])).toBe('No sources yet: add an array and a vCenter under Sources on any other page.')
    expect(nothingJudged([source('failing')])).toContain('No source is live')
    expect(nothingJudged([source('live', 5), source('late')])).toContain('about two minutes')
    expect(nothingJudged(undefined)).not.toContain('Sources')
  })
})

it('the headline counts who loses time now, and leaves its room to the worst', () => {
  const totals = { by_severity: { elevated: 1, high: 1, normal: 11 }, by_state: { judged: 14 }, ended: 1 }
  expect(losingWords(totals as unknown as Overview['totals'], 'datastores')).toBe(
    '2 of 14 datastores have elevated latency',
  )
})
