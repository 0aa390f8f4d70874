/** What was found late, as a window shows it: a breach that the window's edge cuts says so. */

import type { LateOut } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import { type Range, rangeBounds } from '../../lib/range'

const MINUTE_MS = 60_000
const nextMinute = (at_ms: number) => Math.ceil(at_ms / MINUTE_MS) * MINUTE_MS

/** The minutes that begin in the window. */
function minutesOf(range: Range, now_ms: number) {
  const { from_ms, to_ms } = rangeBounds(range, now_ms)
  return { from_ms: nextMinute(from_ms), to_ms: nextMinute(to_ms) }
}

/** A minute more on either side: the API tells of a breach only what is in the window that it is asked for. */
export function askedFor(range: Range, now_ms: number) {
  const { from_ms, to_ms } = minutesOf(range, now_ms)
  return { kind: 'fixed', from_ms: from_ms - MINUTE_MS, to_ms: to_ms + MINUTE_MS } as const
}

export interface ShownLate extends LateOut {
  began_before: boolean
  went_on: boolean
}

/** What of `late`, which was asked for by `askedFor`, is in the window. */
export function shownLate(late: readonly LateOut[], range: Range, now_ms: number): ShownLate[] {
  const { from_ms, to_ms } = minutesOf(range, now_ms)
  return late.flatMap((one) => {
    const [began_ms, ended_ms] = [Date.parse(one.from_at), Date.parse(one.to_at)]
    if (ended_ms <= from_ms || began_ms >= to_ms) return []
    const [began_before, went_on] = [began_ms < from_ms, ended_ms > to_ms]
    return [
      {
        ...one,
        from_at: began_before ? new Date(from_ms).toISOString() : one.from_at,
        to_at: went_on ? new Date(to_ms).toISOString() : one.to_at,
        minutes: one.minutes - Number(began_before) - Number(went_on),
        began_before,
        went_on,
      },
    ]
  })
}

/** Those that began in the window that `asked` was made of: where one before it began, nobody can tell. */
export const begunIn = (late: readonly LateOut[], asked: { from_ms: number; to_ms: number }) =>
  late.filter(({ from_at }) => {
    const at_ms = Date.parse(from_at)
    return at_ms > asked.from_ms && at_ms < asked.to_ms - MINUTE_MS
  })

/** "began before this window"; null where the whole breach is in it. */
export function cutWords({ began_before, went_on }: Pick<ShownLate, 'began_before' | 'went_on'>): string | null {
  if (began_before) return went_on ? alertsCopy.cutBoth : alertsCopy.cutStart
  return went_on ? alertsCopy.cutEnd : null
}
