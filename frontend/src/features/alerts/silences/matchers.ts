/** Matchers of labels: what a silence, a window or a channel is for. */

import type { AlertOut, Matcher } from '../../../api/types'

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
  if (matchers.length === 0) return 'everything'
  return matchers.map(({ label, pattern, negated }) => `${label} is ${negated ? 'not ' : ''}${pattern}`).join(', ')
}

/** Labels that every alert may have; a rule's own come on top. */
export const LABELS = ['rule', 'severity', 'layer', 'kind', 'object', 'array', 'datastore', 'host'] as const
