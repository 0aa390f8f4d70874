/** Buckets of the ledger that have no minute, or too little of it, as bands. */

import * as breakdownCopy from '../copy/breakdown'
import type { GapBand } from './panels'

interface Buckets {
  times_ms: readonly number[]
  step_s: number
  minutes_there: readonly number[]
}

/** Buckets without a minute in the ledger that no source's gap explains. The newest ones are still being attributed. */
export function unexplained(data: Buckets, gaps: readonly GapBand[]): GapBand[] {
  const newest = data.minutes_there.findLastIndex((minutes) => minutes > 0)
  const isMissing = (index: number) => {
    const from_ms = data.times_ms[index] ?? 0
    const to_ms = from_ms + data.step_s * 1000
    const isExplained = gaps.some((gap) => gap.from_ms < to_ms && from_ms < gap.to_ms)
    return index < newest && data.minutes_there[index] === 0 && !isExplained
  }
  return stretches(data, isMissing, breakdownCopy.noDiagnosisBand, 'gap')
}

/** Neighboring buckets as bands. */
export function stretches(
  { times_ms, step_s }: Pick<Buckets, 'times_ms' | 'step_s'>,
  isIn: (index: number) => boolean,
  text: string,
  kind: NonNullable<GapBand['kind']>,
): GapBand[] {
  const bands: GapBand[] = []
  for (const [index, from_ms] of times_ms.entries()) {
    if (!isIn(index)) continue
    const to_ms = from_ms + step_s * 1000
    const last = bands.at(-1)
    if (last?.to_ms === from_ms) last.to_ms = to_ms
    else bands.push({ from_ms, to_ms, text, side: 'host', kind })
  }
  return bands
}
