/** How numbers of outstanding I/Os are written. */
import { formatFixed, isOnlyLessThan } from '../../lib/units'

/** On its own: tenths below ten; a zero with a bound by that. */
export function iosWithin(one: { ios: number; upper_ios: number }): string {
  return one.ios > 0 ? ios(one.ios) : boundText(one.upper_ios, one.upper_ios < 10 ? 1 : 0)
}

/** Never "0.0" for some. */
export function ios(value: number): string {
  return inSteps(value, value < 10 ? 1 : 0)
}

/** A zero that only means "fewer than the counters can tell" is told by its bound. */
export function boundText(upper_ios: number, decimals: number): string {
  const text = inSteps(upper_ios, decimals)
  return upper_ios === 0 || isOnlyLessThan(text) ? text : `≤ ${text}`
}

/** `steps` of the last decimal, as the value is to be written. Never "0.0" for some. */
export function inSteps(value: number, decimals: number, steps = Math.round(value * 10 ** decimals)): string {
  const step = 10 ** -decimals
  if (value > 0 && steps === 0) return `<${formatFixed(step, decimals)}`
  return formatFixed(steps * step, steps === 0 ? 0 : decimals)
}
