/** How much something is over what is expected of it, in words that stand without a color. Pure. */

/** Even the lower bound is over it, or only the estimate. */
export const ABOVE = '▲'
export const POSSIBLY_ABOVE = '?'

/** "▲ +0.40 ms": above; "+0.40 ms ?": possibly above. */
export const overText = (amount: string, isSure: boolean): string =>
  isSure ? `${ABOVE} +${amount}` : `+${amount} ${POSSIBLY_ABOVE}`
