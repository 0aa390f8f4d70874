/** Channels and what is sent on them, in words. */

import type { ChannelOut, NotificationState, Trial } from '../../../api/types'
import * as channelsCopy from '../../../copy/channels'
import type { Tone } from '../../../kit/mark/StateMark'
import { matchersWords } from '../silences/matchers'

const STATES: Record<ChannelOut['state'], { tone: Tone; word: string }> = {
  ok: { tone: 'good', word: channelsCopy.ok },
  failing: { tone: 'bad', word: channelsCopy.failing },
  off: { tone: 'bad', word: channelsCopy.disabledByGavel },
  disabled: { tone: 'calm', word: channelsCopy.disabled },
}
export const channelMark = (state: ChannelOut['state']) => STATES[state]

const RESULTS: Record<Trial['result'], { tone: Tone; word: string }> = {
  delivered: { tone: 'good', word: channelsCopy.accepted },
  retry: { tone: 'warn', word: channelsCopy.retryLater },
  refused: { tone: 'bad', word: channelsCopy.refused },
  gone: { tone: 'bad', word: channelsCopy.gone },
}
export const resultMark = (result: Trial['result']) => RESULTS[result]

export const NOTIFICATION_STATES = [
  'dead',
  'pending',
  'delivered',
  'superseded',
] as const satisfies readonly NotificationState[]

const SENT: Record<NotificationState, { tone: Tone; word: string }> = {
  dead: { tone: 'bad', word: channelsCopy.notDelivered },
  pending: { tone: 'open', word: channelsCopy.pending },
  delivered: { tone: 'good', word: channelsCopy.delivered },
  superseded: { tone: 'calm', word: channelsCopy.superseded },
}
export const sentMark = (state: NotificationState) => SENT[state]

const FROM: Record<ChannelOut['route']['min_severity'], string> = {
  info: channelsCopy.everySeverity,
  warning: channelsCopy.warningAndCritical,
  critical: channelsCopy.criticalOnly,
}
export const severitiesWords = (least: ChannelOut['route']['min_severity']) => FROM[least]

/** "every severity", "critical only, where array is fa-*". */
export function routeWords({ min_severity, matchers }: ChannelOut['route']): string {
  return matchers.length === 0
    ? FROM[min_severity]
    : channelsCopy.routeWhere(FROM[min_severity], matchersWords(matchers))
}
