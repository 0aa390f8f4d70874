/** Matchers of labels: what a silence, a window or a channel is for. */

import type { AlertOut, Matcher } from '../../../api/types'
import * as silencesCopy from '../../../copy/silences'

/** A pattern for exactly this text: its own *, ? and [ are no wildcards. */
export const exactly = (text: string) => text.replace(/[[*?]/g, '[$&]')

/** This rule on this object: the narrowest that holds for an alert's next incident, too. */
export function matchersOf(alert: Pick<AlertOut, 'labels'>): Matcher[] {
  return (['rule', 'kind', 'object'] as const).flatMap((label) => {
    const value = alert.labels[label]
    return value === undefined || value === '' ? [] : [{ label, pattern: exactly(value), negated: false }]
  })
}

/** "rule is kernel_queueing, object is not ds-*". */
export function matchersWords(matchers: readonly Matcher[]): string {
  if (matchers.length === 0) return silencesCopy.allAlerts
  return matchers
    .map(({ label, pattern, negated }) => silencesCopy.isPattern(label, negated ? silencesCopy.not : '', pattern))
    .join(', ')
}

/** A row to be filled in. */
export const NEW_MATCHERS: Matcher[] = [{ label: 'object', pattern: '', negated: false }]

/** Whether it holds for whatever there is: no condition, or none that leaves anything out. */
export const isEverything = (matchers: readonly Matcher[]) =>
  matchers.every(({ pattern, negated }) => !negated && /^[*]+$/.test(pattern))

export const isHalf = (matchers: readonly Matcher[]) =>
  matchers.some(({ label, pattern }) => label.trim() === '' || pattern.trim() === '')

/** Whether all conditions hold for an alert, as the server judges it: any case, * and ? and [a-z]; a label that is absent is empty. */
export const holdsFor = (matchers: readonly Matcher[], { labels }: Pick<AlertOut, 'labels'>) =>
  matchers.every(({ label, pattern, negated }) => globOf(pattern).test((labels[label] ?? '').toLowerCase()) !== negated)

function globOf(pattern: string): RegExp {
  const source = pattern
    .toLowerCase()
    .replace(/\[(!?)(\]?[^\]]*)\]|[\s\S]/gu, (piece, not: string | undefined, among: string | undefined) => {
      if (among !== undefined) return setOf(among, not === '!')
      if (piece === '*') return '[\\s\\S]*'
      return piece === '?' ? '[\\s\\S]' : piece.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    })
  return new RegExp(`^${source}$`, 'u')
}

/** "[a-z]"; a range that runs backwards holds nothing. What is left of it makes no range with its neighbors. */
function setOf(among: string, isNot: boolean): string {
  const escaped = (text: string) => text.replace(/[\\\]^[-]/g, '\\$&')
  const sound = among.replace(
    /([\s\S])-([\s\S])|[\s\S]/gu,
    (piece, from: string | undefined, to: string | undefined) => {
      if (from === undefined || to === undefined) return escaped(piece)
      return from <= to ? `${escaped(from)}-${escaped(to)}` : ''
    },
  )
  if (sound === '') return isNot ? '[\\s\\S]' : '(?!)'
  return `[${isNot ? '^' : ''}${sound}]`
}

/** Labels that every alert may have; a rule's own come on top. */
export const LABELS = ['rule', 'severity', 'layer', 'kind', 'object', 'array', 'datastore', 'host'] as const
