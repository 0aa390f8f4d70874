import { expect, it } from 'vitest'
import * as testRunsCopy from '../../copy/testRuns'
import { OFFSETS_MINUTES, offsetText } from '../imports/offsets'
import { type Choice, FIRST_CHOICE, TOOLS, targetOf } from './resultTools'

const CHOICE: Choice = { tool: 'vdbench', offset_minutes: 120, started: '2026-03-14T09:30', ahead_s: '', disk_id: null }

it('a result is sent with the zone and start that its tool does not write', () => {
  expect(targetOf(CHOICE)).toEqual({
    format: 'vdbench',
    utc_bias_minutes: -120,
    started_at: '2026-03-14T09:30:00+02:00',
    offset_s: null,
    disk_id: null,
  })
  expect(targetOf({ ...CHOICE, ahead_s: -2.5 }).offset_s).toBe(-2.5)
  expect(targetOf({ ...CHOICE, disk_id: 5 }).disk_id).toBe(5)
  expect(targetOf({ ...CHOICE, started: '2026-03-14T09:30:05' }).started_at).toBe('2026-03-14T09:30:05+02:00')
  expect(targetOf({ ...CHOICE, started: '' }).started_at).toBeNull()
})

it('a result of a tool that writes its times is sent as it is', () => {
  expect(targetOf({ ...CHOICE, tool: 'hcibench' })).toEqual({
    format: 'hcibench',
    utc_bias_minutes: null,
    started_at: null,
    offset_s: null,
    disk_id: null,
  })
  expect(targetOf({ ...CHOICE, tool: 'iometer' })).toEqual({
    format: 'iometer',
    utc_bias_minutes: -120,
    started_at: null,
    offset_s: null,
    disk_id: null,
  })
  expect(targetOf({ ...CHOICE, offset_minutes: 0 }).utc_bias_minutes).toBe(0)
})

it('UTC offsets are written with their sign and hold that of this browser', () => {
  expect([-210, -60, 0, 345].map(offsetText)).toEqual(['-03:30', '-01:00', '+00:00', '+05:45'])
  expect([OFFSETS_MINUTES[0], OFFSETS_MINUTES.at(-1)]).toEqual([-720, 840])
  expect(OFFSETS_MINUTES).toContain(FIRST_CHOICE.offset_minutes)
})

it('every load tool has a name and says what to drop', () => {
  for (const tool of TOOLS) {
    expect(testRunsCopy.toolNames[tool]).not.toBe('')
    expect(testRunsCopy.drops[tool]).toContain('on this card')
  }
})
