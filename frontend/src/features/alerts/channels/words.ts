/** Channels and what is sent on them, in words. */

import type { ChannelOut, NotificationState, Trial } from '../../../api/types'
import type { Tone } from '../../../components/StateMark'
import { matchersWords } from '../silences/matchers'

const STATES: Record<ChannelOut['state'], { tone: Tone; word: string }> = {
  ok: { tone: 'good', word: 'ok' },
  failing: { tone: 'bad', word: 'failing' },
  off: { tone: 'bad', word: 'switched off by Gavel' },
  disabled: { tone: 'calm', word: 'switched off' },
}
export const channelMark = (state: ChannelOut['state']) => STATES[state]

const RESULTS: Record<Trial['result'], { tone: Tone; word: string }> = {
  delivered: { tone: 'good', word: 'accepted' },
  retry: { tone: 'warn', word: 'not now' },
  refused: { tone: 'bad', word: 'refused' },
  gone: { tone: 'bad', word: 'gone' },
}
export const resultMark = (result: Trial['result']) => RESULTS[result]

export const NOTIFICATION_STATES = [
  'dead',
  'pending',
  'delivered',
  'superseded',
] as const satisfies readonly NotificationState[]

const SENT: Record<NotificationState, { tone: Tone; word: string }> = {
  dead: { tone: 'bad', word: 'not delivered' },
  pending: { tone: 'open', word: 'waiting' },
  delivered: { tone: 'good', word: 'delivered' },
  superseded: { tone: 'calm', word: 'overtaken' },
}
export const sentMark = (state: NotificationState) => SENT[state]

const FROM: Record<ChannelOut['route']['min_severity'], string> = {
  info: 'every severity',
  warning: 'warning and critical',
  critical: 'critical only',
}
export const severitiesWords = (least: ChannelOut['route']['min_severity']) => FROM[least]

/** "every severity", "critical only, where array is fa-*". */
export function routeWords({ min_severity, matchers }: ChannelOut['route']): string {
  return matchers.length === 0 ? FROM[min_severity] : `${FROM[min_severity]}, where ${matchersWords(matchers)}`
}
