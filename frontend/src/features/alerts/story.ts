/** What happened to one alert, in the order of time: its transitions, what people did, what was told, what was found late. */

import type { AlertDetail, AlertMessage, Transition } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import * as commonCopy from '../../copy/common'
import { cutWords, type ShownLate } from '../../domain/alerts/late'
import { alertStateMark, atMinute, boundWords, formatAmount, formatLength } from '../../domain/alerts/words'
import type { Tone } from '../../kit/mark/StateMark'
import { capitalized } from '../../lib/text'
import type { Zone } from '../../lib/time'

export interface Chapter {
  key: string
  at_ms: number
  tone: Tone
  /** Of the state that it went into. */
  shape?: string
  /** What happened, in a word or two. */
  what: string
  /** With which numbers, by whom, to whom. */
  how: string
  isLate: boolean
}

/** A minute is judged within some seconds of its end; more than this after its beginning is late. */
const LATE_AFTER_MS = 180_000

const MESSAGES: Record<AlertDetail['messages'][number]['status'], string> = {
  firing: alertsCopy.notification,
  resolved: alertsCopy.resolveNotification,
  no_data: alertsCopy.noDataNotification,
}
const FATES: Record<AlertDetail['messages'][number]['state'], { tone: Tone; words: string }> = {
  pending: { tone: 'open', words: alertsCopy.queued },
  delivered: { tone: 'good', words: alertsCopy.delivered },
  superseded: { tone: 'calm', words: alertsCopy.superseded },
  dead: { tone: 'bad', words: alertsCopy.undeliveredState },
}
export const fateOf = (state: AlertDetail['messages'][number]['state']) => FATES[state]

/** "storage on call: message delivered at 11:30": what arrived, and what did not, in the order of time. */
export function toldWords(messages: readonly AlertMessage[], zone: Zone, now_ms?: number): string[] {
  return [...messages]
    .sort((a, b) => Date.parse(toldAt(a)) - Date.parse(toldAt(b)))
    .map((one) => {
      const what = MESSAGES[one.status].toLowerCase()
      return `${one.channel_name}: ${what} ${FATES[one.state].words} ${atMinute(toldAt(one), zone, now_ms)}`
    })
}

const toldAt = ({ finished_at, created_at }: AlertMessage) => finished_at ?? created_at

export function storyOf(alert: AlertDetail, late: readonly ShownLate[]): Chapter[] {
  const chapters = [
    ...alert.transitions.map((one) => transitionChapter(one, alert)),
    ...alert.messages.map((message): Chapter => {
      const fate = FATES[message.state]
      return {
        key: `message-${message.id}`,
        at_ms: Date.parse(toldAt(message)),
        tone: fate.tone,
        what: MESSAGES[message.status],
        how: `${message.channel_name}: ${fate.words}`,
        isLate: false,
      }
    }),
    ...late
      .filter((one) => one.rule_id === alert.rule_id)
      .map(
        (one): Chapter => ({
          key: `late-${one.from_at}`,
          at_ms: Date.parse(one.from_at),
          tone: 'calm',
          what: alertsCopy.lateDetection,
          how: [
            alertsCopy.aboveThreshold(formatLength(one.minutes * 60_000), formatAmount(one.peak, one.unit)),
            ...(cutWords(one) === null ? [] : [cutWords(one)]),
            alertsCopy.tooLate,
          ].join('; '),
          isLate: true,
        }),
      ),
    ...acknowledgement(alert),
  ]
  return chapters.sort((a, b) => a.at_ms - b.at_ms)
}

function transitionChapter(one: Transition, { measure, severity }: AlertDetail): Chapter {
  const { word, ...mark } = alertStateMark(one.after, severity)
  const lag_ms = Date.parse(one.detected_at) - Date.parse(one.minute_at)
  const isLate = lag_ms > LATE_AFTER_MS
  const numbers = one.value === null ? [] : [formatAmount(one.value, measure.unit)]
  const bound = boundWords({ lower: one.lower, measure })
  const found = isLate ? [alertsCopy.detectedLater(formatLength(lag_ms))] : []
  return {
    key: `transition-${one.sequence}`,
    at_ms: Date.parse(one.minute_at),
    ...mark,
    what: capitalized(word),
    how: [...numbers, ...(bound === null ? [] : [bound]), ...found].join(', '),
    isLate,
  }
}

function acknowledgement({ acknowledged_at, acknowledged_by, acknowledged_note }: AlertDetail): Chapter[] {
  if (acknowledged_at === null) return []
  const note = acknowledged_note === null ? '' : `: ${acknowledged_note}`
  const how = alertsCopy.byName(acknowledged_by ?? commonCopy.unknown, note)
  return [
    {
      key: 'acknowledged',
      at_ms: Date.parse(acknowledged_at),
      tone: 'good',
      what: alertsCopy.acknowledgedEvent,
      how,
      isLate: false,
    },
  ]
}

const BEFORE_MS = 15 * 60_000
const AFTER_MS = 10 * 60_000
const MINUTE_MS = 60_000

/** The minutes in which the alert's limit was passed: from its first one to its end, or to now. */
export function ownWindow(alert: Pick<AlertDetail, 'started_at' | 'ended_at' | 'recovered_at'>, now_ms: number) {
  const from_ms = Date.parse(alert.started_at)
  const end = alert.recovered_at ?? alert.ended_at
  const to_ms = Math.floor((end === null ? now_ms : Date.parse(end)) / MINUTE_MS) * MINUTE_MS
  return { kind: 'fixed', from_ms, to_ms: Math.max(to_ms, from_ms + MINUTE_MS) } as const
}

/** What to look at of an alert: its time, and some minutes around it so that the change is seen. */
export function windowOf(alert: Pick<AlertDetail, 'started_at' | 'ended_at'>, now_ms: number) {
  const from_ms = Date.parse(alert.started_at) - BEFORE_MS
  const wanted = alert.ended_at === null ? now_ms : Math.min(now_ms, Date.parse(alert.ended_at) + AFTER_MS)
  const to_ms = Math.max(Math.floor(wanted / MINUTE_MS) * MINUTE_MS, from_ms + BEFORE_MS + MINUTE_MS)
  return { kind: 'fixed', from_ms, to_ms } as const
}
