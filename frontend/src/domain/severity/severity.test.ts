import { describe, expect, it } from 'vitest'
import { confidenceText } from './confidence'
import { type Diagnosed, isElevated, severityLook } from './severity'

const diagnosed = (patch: Partial<Diagnosed> = {}): Diagnosed => ({
  state: 'judged',
  severity: 'elevated',
  limited_counters: false,
  confidence: 'confirmed',
  ...patch,
})

describe('severity', () => {
  it('no diagnosis has none, and says why', () => {
    const idle = diagnosed({ state: 'idle', severity: null, confidence: null })
    expect(severityLook(idle, 'utc')).toEqual({ word: 'Idle', tone: 'calm' })
    expect(severityLook({ ...idle, state: 'too_few' }, 'utc')).toEqual({ word: 'Too few I/Os', tone: 'calm' })
    expect(isElevated(idle)).toBe(false)
  })

  it('mark: a word and a shape of its own each, whatever the confidence, and a cleared one has its time', () => {
    const looks = (['normal', 'elevated', 'high'] as const).map((severity) =>
      severityLook(diagnosed({ severity }), 'utc'),
    )
    expect(looks.map(({ word }) => word)).toEqual(['Normal', 'Elevated', 'High'])
    expect(new Set(looks.map(({ tone }) => tone)).size).toBe(3)
    expect(severityLook(diagnosed({ confidence: 'inconclusive' }), 'utc')).toEqual(looks[1])
    const cleared = diagnosed({ until_at: '2026-11-22T21:43:00Z' })
    expect(severityLook(cleared, 'utc')).toEqual({ word: 'Cleared 21:43', tone: 'calm' })
    expect([cleared, diagnosed(), diagnosed({ severity: 'normal' })].map(isElevated)).toEqual([false, true, false])
  })
})

it('confidence: a label of its own beside the severity, none where no layer is named', () => {
  const label = (patch: Partial<Diagnosed>) => confidenceText(diagnosed(patch))?.label
  expect(label({ confidence: 'confirmed' })).toBe('Confirmed')
  expect(label({ confidence: 'likely' })).toBe('Likely')
  expect(label({ confidence: 'inconclusive' })).toBe('Inconclusive')
  expect(label({ severity: 'normal', confidence: null, limited_counters: true })).toBe('limited counters')
  expect(label({ severity: 'normal', confidence: null })).toBeUndefined()
  expect(label({ state: 'no_data', severity: null, confidence: null })).toBeUndefined()
})
