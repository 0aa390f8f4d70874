import { describe, expect, it } from 'vitest'
import type { AlertOut, LateOut } from '../../api/types'
import {
  alertsOf,
  alertsOnArray,
  bySeverity,
  eventsOfAlerts,
  eventsOfLate,
  firingOf,
  inOrder,
  openAlerts,
} from './standing'

const alert = (id: number, given: Partial<AlertOut> = {}): AlertOut =>
  ({
    id,
    rule_name: 'Kernel latency',
    severity: 'warning',
    subject: { kind: 'datastore', id: 7, name: 'ds-7' },
    array_ids: [],
    labels: {},
    state: 'firing',
    fired_at: '2026-11-21T02:14:00Z',
    ended_at: null,
    quiet: null,
    acknowledged_at: null,
    ...given,
  }) as AlertOut
const ids = (alerts: readonly AlertOut[]) => alerts.map(({ id }) => id)

describe('the alerts of a thing', () => {
  const volume = { kind: 'volume' as const, id: 7 }

  it('are its own first, then those of what it stands on; a number alone does not make it the same thing', () => {
    const open = [
      alert(1, { subject: { kind: 'volume', id: 7, name: 'v' } }),
      alert(2),
      alert(3, { subject: { kind: 'vm', id: 7, name: 'vm' } }),
    ]
    expect(ids(alertsOf(open, { kind: 'datastore', id: 7 }, [volume]))).toEqual([2, 1])
    expect(ids(alertsOf(open, { kind: 'datastore', id: 7 }))).toEqual([2])
  })

  it('of an array are those of everything that lies on it', () => {
    const open = [alert(1, { array_ids: [1] }), alert(2, { array_ids: [2] }), alert(3), alert(4, { array_ids: [1, 2] })]
    expect(ids(alertsOnArray(open, 1))).toEqual([1, 4])
  })
})

describe('what a wall counts', () => {
  it('leaves out what somebody knows of and what has no data, and puts the worst first', () => {
    const open = [
      alert(1),
      alert(2, { severity: 'critical' }),
      alert(3, { quiet: 'silenced' }),
      alert(4, { acknowledged_at: '2026-11-21T02:20:00Z' }),
      alert(5, { state: 'no_data' }),
    ]
    const { firing, recovering, others } = openAlerts(open)
    expect([firing, recovering, others].map(ids)).toEqual([[1, 2], [], [3, 4, 5]])
    expect(bySeverity(firing)).toEqual([
      { severity: 'critical', count: 1 },
      { severity: 'warning', count: 1 },
    ])
  })
})

describe('what recovers', () => {
  it('does not fire any more, and is told apart from what somebody knows of', () => {
    const open = [
      alert(1),
      alert(2, { state: 'recovering' }),
      alert(3, { state: 'recovering', acknowledged_at: '2026-11-21T02:20:00Z' }),
    ]
    expect(ids(firingOf(open))).toEqual([1])
    const { firing, recovering, others } = openAlerts(open)
    expect([firing, recovering, others].map(ids)).toEqual([[1], [2], [3]])
  })
})

describe('alerts in a chart', () => {
  it('are a beginning and an end, each at the minute that made it', () => {
    const over = alert(1, { severity: 'critical', state: 'resolved', ended_at: '2026-11-21T02:31:00Z' })
    expect(eventsOfAlerts([over])).toEqual([
      {
        at_ms: Date.parse('2026-11-21T02:14:00Z'),
        text: 'Alert fired (critical): Kernel latency on ds-7',
        label: 'Kernel latency fired',
        tone: 'bad',
      },
      {
        at_ms: Date.parse('2026-11-21T02:31:00Z'),
        text: 'Alert resolved: Kernel latency on ds-7',
        label: 'Kernel latency resolved',
        tone: 'good',
      },
    ])
  })

  it('that are open have no end; what ended without recovery is not called resolved', () => {
    expect(eventsOfAlerts([alert(1)])).toHaveLength(1)
    const gone = alert(1, { state: 'inactive', ended_at: '2026-11-21T02:31:00Z' })
    expect(eventsOfAlerts([gone]).at(-1)?.label).toBe('Kernel latency ended')
  })

  it('name the thing where the chart is about many, in the order of time', () => {
    const later = alert(2, { subject: { kind: 'vm', id: 1, name: 'vm-1' }, fired_at: '2026-11-21T02:10:00Z' })
    expect(eventsOfAlerts([alert(1), later], true).map(({ label }) => label)).toEqual(['vm-1 fired', 'ds-7 fired'])
  })
})

describe('breaches that were found late', () => {
  const late = {
    rule_name: 'Kernel latency',
    subject: { kind: 'datastore', id: 7, name: 'ds-7' },
    from_at: '2026-11-21T02:14:00Z',
    minutes: 3,
  } as LateOut

  it('stand at their first minute, neither good nor bad, and say that nobody was told', () => {
    expect(eventsOfLate([late])).toEqual([
      {
        at_ms: Date.parse('2026-11-21T02:14:00Z'),
        text: 'Late detection: Kernel latency on ds-7, 3 min; not notified',
        label: 'Kernel latency, detected late',
        tone: 'calm',
      },
    ])
    expect(eventsOfLate([late], true)[0]?.label).toBe('ds-7, detected late')
  })
})

it('open alerts stand by severity, then by whether somebody knows, then the newest first', () => {
  const at = (hour: number) => `2026-11-21T0${hour}:00:00Z`
  const alerts = [
    alert(1, { severity: 'info', started_at: at(5) }),
    alert(2, { severity: 'critical', started_at: at(4), acknowledged_at: at(5) }),
    alert(3, { severity: 'warning', started_at: at(1) }),
    alert(4, { severity: 'critical', started_at: at(1) }),
    alert(5, { severity: 'critical', started_at: at(3), quiet: 'silenced by Kim' }),
    alert(6, { severity: 'critical', started_at: at(2) }),
    alert(7, { severity: 'warning', started_at: at(2) }),
  ]
  expect(ids(inOrder(alerts))).toEqual([6, 4, 2, 5, 7, 3, 1])
})
