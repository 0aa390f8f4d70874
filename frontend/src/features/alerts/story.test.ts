import { describe, expect, it } from 'vitest'
import type { AlertDetail } from '../../api/types'
import type { ShownLate } from '../../domain/alerts/late'
import { ownWindow, storyOf, toldWords, windowOf } from './story'

const at = (clock: string) => `2026-11-21T${clock}Z`
const transition = (sequence: number, after: AlertDetail['state'], minute: string, found: string) => ({
  sequence,
  before: 'inactive' as const,
  after,
  minute_at: at(minute),
  value: 438,
  lower: 425,
  detected_at: at(found),
})
const ALERT = {
  rule_id: 1,
  measure: { quantity: 'latency', part: 'kernel', direction: 'all', unit: 'µs', finding: null, finding_severity: null },
  transitions: [
    transition(1, 'pending', '02:10:00', '02:11:00'),
    transition(2, 'firing', '02:14:00', '02:15:00'),
    transition(3, 'resolved', '02:31:00', '03:10:00'),
  ],
  messages: [
    {
      id: 12,
      channel_id: 2,
      channel_name: 'storage on call',
      status: 'firing',
      state: 'delivered',
      created_at: at('02:15:04'),
      finished_at: at('02:15:05'),
      attempts: 1,
      detail: null,
    },
  ],
  acknowledged_at: at('02:20:00'),
  acknowledged_by: 'Kim',
  acknowledged_note: 'known',
} as unknown as AlertDetail

const late = (rule_id: number, cut: Partial<ShownLate> = {}): ShownLate =>
  ({
    rule_id,
    from_at: at('01:10:00'),
    to_at: at('01:22:00'),
    minutes: 12,
    peak: 512,
    unit: 'µs',
    began_before: false,
    went_on: false,
    ...cut,
  }) as ShownLate

describe('the story of an alert', () => {
  it('is told in the order of time, whatever it is made of', () => {
    const story = storyOf(ALERT, [late(1)])
    expect(story.map(({ what }) => what)).toEqual([
      'Late detection',
      'Pending',
      'Firing',
      'Notification',
      'Acknowledged',
      'Resolved',
    ])
    expect(story[2]?.how).toBe('0.44 ms, ≥ 0.43 ms (lower bound)')
    expect(story[4]?.how).toBe('by Kim: known')
  })

  it('says of what was found long after its minute that it is late', () => {
    const story = storyOf(ALERT, [])
    expect(story.filter(({ isLate }) => isLate).map(({ what }) => what)).toEqual(['Resolved'])
    expect(story.at(-1)?.how).toContain('detected 39 min later')
  })

  it('says of a late breach that its window cuts where the rest of it is', () => {
    const [cut] = storyOf(ALERT, [late(1, { began_before: true })])
    expect(cut?.how).toBe('12 min above the threshold, peak 0.51 ms; began before this window; too late to notify')
  })

  it('leaves out what other rules found late', () => {
    expect(storyOf(ALERT, [late(2)]).some(({ what }) => what === 'Late detection')).toBe(false)
  })
})

describe('the window of an alert', () => {
  const now_ms = Date.parse(at('04:00:30'))

  it('has some minutes around the alert, and goes on to now while it is open', () => {
    expect(windowOf({ started_at: at('02:10:00'), ended_at: at('02:31:00') }, now_ms)).toEqual({
      kind: 'fixed',
      from_ms: Date.parse(at('01:55:00')),
      to_ms: Date.parse(at('02:41:00')),
    })
    expect(windowOf({ started_at: at('02:10:00'), ended_at: null }, now_ms).to_ms).toBe(Date.parse(at('04:00:00')))
  })

  it('leaves out the quiet minutes around it where times are averaged', () => {
    const own = (ended_at: string | null, recovered_at: string | null) =>
      ownWindow({ started_at: at('02:10:00'), ended_at, recovered_at }, now_ms)
    expect(own(at('02:31:00'), at('02:26:00'))).toEqual({
      kind: 'fixed',
      from_ms: Date.parse(at('02:10:00')),
      to_ms: Date.parse(at('02:26:00')),
    })
    expect(own(at('02:31:00'), null).to_ms).toBe(Date.parse(at('02:31:00')))
    expect(own(null, null).to_ms).toBe(Date.parse(at('04:00:00')))
  })

  it('never ends before it begins, even when clocks differ', () => {
    const { from_ms, to_ms } = windowOf({ started_at: at('04:10:00'), ended_at: null }, now_ms)
    expect(to_ms).toBeGreaterThan(from_ms)
  })
})

it('who was told is said with when, in the order of time, also of what did not arrive', () => {
  const [first] = ALERT.messages
  if (first === undefined) throw new Error('the alert has a message')
  const failed = { ...first, id: 11, channel_name: 'pager', state: 'dead', finished_at: at('02:15:01') } as const
  const waiting = { ...first, id: 13, state: 'pending', created_at: at('02:32:00'), finished_at: null } as const
  expect(toldWords([waiting, first, failed], 'utc', Date.parse(at('03:00:00')))).toEqual([
    'pager: notification not delivered at 02:15',
    'storage on call: notification delivered at 02:15',
    'storage on call: notification queued at 02:32',
  ])
})
