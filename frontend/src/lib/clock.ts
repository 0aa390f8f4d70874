/**
 * The only module that reads a clock, which tests/house/test_front_end_clock.py holds.
 *
 * The server's time comes from the page itself, then from the Date header of its answers: ages stay right on a wall screen with a
 * wrong clock, and the first questions are about the same minutes as all later ones.
 */

import { OFFLINE } from './offline'

let offset_ms = 0

// The header has whole seconds and is as old as the answer's way here: smaller differences say nothing.
const TRUST_BROWSER_WITHIN_MS = 2_000

export function noteServerTime(date: string | null, age_ms = 0): void {
  const server_ms = Date.parse(date ?? '') + age_ms
  if (Number.isNaN(server_ms)) return
  const difference = server_ms - browserNow()
  offset_ms = Math.abs(difference) <= TRUST_BROWSER_WITHIN_MS ? 0 : difference
}

/** Takes the time that the server wrote into the page when it answered. The development server writes none. */
export function notePageTime(root: { dataset: DOMStringMap }): void {
  const [page] = performance.getEntriesByType('navigation')
  const answered_ms = page !== undefined && 'responseStart' in page ? Number(page.responseStart) : performance.now()
  noteServerTime(root.dataset.time ?? null, performance.now() - answered_ms)
}

/** In an offline environment it stands still, at the end of what its files hold. */
export function serverNow(offline = OFFLINE): number {
  return offline ? Date.parse(offline.to_at) : browserNow() + offset_ms
}

/** The browser's own clock in ms, for what happens in the browser alone: uploads, and the age of an answer. */
export function browserNow(): number {
  return Date.now()
}
