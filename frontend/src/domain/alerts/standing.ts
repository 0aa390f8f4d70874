/** Which alerts stand for a thing, and what of their story belongs into its charts. */

import type { AlertOut, LateOut, Ref } from '../../api/types'
import type { ChartEvent } from '../../charts/events'
import * as alertsCopy from '../../copy/alerts'
import { SEVERITIES, severityMark } from './words'

export type Thing = Pick<Ref, 'kind' | 'id'>

const isOf = ({ subject }: AlertOut, { kind, id }: Thing) => subject.kind === kind && subject.id === id

/** Open alerts of the thing itself, then those of what it stands on; the API's order, worst first, within each. */
export function alertsOf(alerts: readonly AlertOut[], thing: Thing, below: readonly Thing[] = []): AlertOut[] {
  const own = alerts.filter((alert) => isOf(alert, thing))
  return [...own, ...alerts.filter((alert) => !own.includes(alert) && below.some((one) => isOf(alert, one)))]
}

/** Alerts about something that lies on an array. */
export const alertsOnArray = (alerts: readonly AlertOut[], array_id: number) =>
  alerts.filter(({ array_ids }) => array_ids.includes(array_id))

/** Of all open alerts those that fire: what recovers, has no data or is pending does not. */
export const firingOf = (alerts: readonly AlertOut[]) => alerts.filter(({ state }) => state === 'firing')

/** Told to somebody who looks after it, or kept quiet. */
const isAttended = ({ acknowledged_at, quiet }: AlertOut) => acknowledged_at !== null || quiet !== null

/** Which to look at first: the worst, of these what nobody looks after yet, of these the newest. */
export const inOrder = (alerts: readonly AlertOut[]): AlertOut[] =>
  [...alerts].sort(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      Number(isAttended(a)) - Number(isAttended(b)) ||
      Date.parse(b.started_at) - Date.parse(a.started_at),
  )

interface OpenAlerts {
  firing: AlertOut[]
  /** Below their threshold, but not for long enough yet. */
  recovering: AlertOut[]
  /** Looked after by somebody, silenced, or without data. */
  others: AlertOut[]
}

/** Open alerts as a wall has to tell them: first what fires and is looked after by nobody. */
export function openAlerts(alerts: readonly AlertOut[]): OpenAlerts {
  const firing = firingOf(alerts).filter((alert) => !isAttended(alert))
  const recovering = alerts.filter((alert) => alert.state === 'recovering' && !isAttended(alert))
  return {
    firing,
    recovering,
    others: alerts.filter((alert) => !firing.includes(alert) && !recovering.includes(alert)),
  }
}

/** Recovered, or no longer looked at: its rule or its object went. */
const ending = (state: AlertOut['state']) => (state === 'resolved' ? alertsCopy.resolved : alertsCopy.endedState)

/** When each fired and when it was over; `named`: labels name the thing and not the rule, where a chart is about several. */
export function eventsOfAlerts(alerts: readonly AlertOut[], named = false): ChartEvent[] {
  return alerts
    .flatMap((alert): ChartEvent[] => {
      const { rule_name, severity, fired_at, ended_at, state, subject } = alert
      const about = named ? subject.name : rule_name
      const { tone } = severityMark(severity)
      const fired: ChartEvent[] =
        fired_at === null
          ? []
          : [
              {
                at_ms: Date.parse(fired_at),
                text: alertsCopy.firedEvent(severity, rule_name, subject.name),
                label: alertsCopy.firedLabel(about),
                tone,
              },
            ]
      const resolved: ChartEvent[] =
        ended_at === null
          ? []
          : [
              {
                at_ms: Date.parse(ended_at),
                text: alertsCopy.endedEvent(ending(state), rule_name, subject.name),
                label: `${about} ${ending(state)}`,
                tone: 'good',
              },
            ]
      return [...fired, ...resolved]
    })
    .sort((a, b) => a.at_ms - b.at_ms)
}

/** Breaches that became known too late to page anybody, at their first minute: neither fired nor over. */
export function eventsOfLate(late: readonly LateOut[], named = false): ChartEvent[] {
  return late.map(({ rule_name, subject, minutes, from_at }) => ({
    at_ms: Date.parse(from_at),
    text: alertsCopy.lateEvent(rule_name, subject.name, minutes),
    label: alertsCopy.lateLabel(named ? subject.name : rule_name),
    tone: 'calm',
  }))
}

export interface SeverityCount {
  severity: AlertOut['severity']
  count: number
}

/** How many of each severity, worst first; none of which there is none. */
export function bySeverity(alerts: readonly AlertOut[]): SeverityCount[] {
  return SEVERITIES.map((severity) => ({
    severity,
    count: alerts.filter((alert) => alert.severity === severity).length,
  })).filter(({ count }) => count > 0)
}
