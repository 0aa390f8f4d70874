/** The marks of how bad an object's latency is, which the server decides. */

import type { DiagnosisSeverity, JudgedState, OverviewRow } from '../../api/types'
import * as diagnosisCopy from '../../copy/diagnosis'
import type { Tone } from '../../kit/mark/StateMark'
import { formatClock, instantMs, type Zone } from '../../lib/time'

export interface Diagnosed extends Pick<OverviewRow, 'state' | 'severity' | 'limited_counters' | 'confidence'> {
  /** When the newest minutes stopped to show an excess; null or left out: they show it still. */
  until_at?: string | null
}

/** Elevated or high, and not cleared. */
export const isElevated = ({ severity, until_at }: Pick<Diagnosed, 'severity' | 'until_at'>): boolean =>
  severity !== null && severity !== 'normal' && (until_at ?? null) === null

export const SEVERITIES: Record<DiagnosisSeverity, { word: string; tone: Tone }> = {
  normal: { word: diagnosisCopy.normal, tone: 'good' },
  elevated: { word: diagnosisCopy.elevated, tone: 'warn' },
  high: { word: diagnosisCopy.high, tone: 'bad' },
}

const STATES: Record<Exclude<JudgedState, 'judged'>, string> = {
  too_few: diagnosisCopy.tooFew,
  idle: diagnosisCopy.idle,
  not_measured: diagnosisCopy.notMeasured,
  no_data: diagnosisCopy.noDiagnosisData,
}
export const stateLabel = (state: Exclude<JudgedState, 'judged'>) => STATES[state]

/** "Elevated"; "Cleared 21:43" where it is over, "Idle" where there is nothing to diagnose. */
export function severityLook(one: Diagnosed, zone: Zone): { word: string; tone: Tone } {
  if (one.state !== 'judged') return { word: STATES[one.state], tone: 'calm' }
  const cleared_ms = instantMs(one.until_at ?? null)
  if (one.severity === null) return { word: diagnosisCopy.notDiagnosed, tone: 'calm' }
  if (cleared_ms !== null) return { word: diagnosisCopy.clearedAt(formatClock(cleared_ms, zone)), tone: 'calm' }
  return SEVERITIES[one.severity]
}
