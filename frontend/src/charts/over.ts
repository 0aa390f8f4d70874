/** How much something is over what is expected of it, in words that stand without a color. Pure. */

/** Even the lower bound is over it, or only the estimate. */
export const SURELY = '▲'
export const PERHAPS = '?'

/** "▲ +0.40 ms": surely; "+0.40 ms ?": perhaps. */
export const overText = (amount: string, isSure: boolean): string =>
  isSure ? `${SURELY} +${amount}` : `+${amount} ${PERHAPS}`
