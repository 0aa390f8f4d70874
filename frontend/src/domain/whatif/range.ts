/** A predicted range in words: "0.55 to 0.62 ms". */

import * as whatIfCopy from '../../copy/whatif'

/** upper null: no bound is known. */
export function between(lower: number, upper: number | null, format: (value: number) => string): string {
  const low = format(lower)
  if (upper === null) return whatIfCopy.to(low, whatIfCopy.noBound)
  const high = format(upper)
  return low === high ? low : whatIfCopy.to(low, high)
}
