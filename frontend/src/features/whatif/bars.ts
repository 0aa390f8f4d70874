/** Where the parts of a what-if lie on one axis, before and after: each begins where the one before it ends. Pure. */

import type { WhatIf } from '../../api/types'

type Part = WhatIf['parts'][number]

export interface PartBars {
  name: Part['name']
  label: string
  before_us: number | null
  lower_us: number
  upper_us: number | null
  /** Ends in % of the axis; null where nothing was measured. */
  before: { start: number; end: number } | null
  /** `sure`: up to the lower bound; `end`: up to the upper one, the end of the axis where there is none. */
  after: { start: number; sure: number; end: number }
}

/** The axis ends with the longer of before and after. */
export function partBars(parts: readonly Part[]): { axis_us: number; rows: PartBars[] } {
  const sum = (values: readonly (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0)
  const axis_us = Math.max(
    sum(parts.map(({ before_us }) => before_us)),
    ...parts.map(
      ({ lower_us, upper_us }, index) => sum(parts.slice(0, index).map((one) => one.lower_us)) + (upper_us ?? lower_us),
    ),
    1e-9,
  )
  const percent = (us: number) => Math.min(100, (100 * us) / axis_us)
  let before = 0
  let after = 0
  const rows = parts.map((part): PartBars => {
    const starts = [before, after] as const
    before += part.before_us ?? 0
    after += part.lower_us
    return {
      ...part,
      before: part.before_us === null ? null : { start: percent(starts[0]), end: percent(before) },
      after: {
        start: percent(starts[1]),
        sure: percent(after),
        end: part.upper_us === null ? 100 : percent(starts[1] + part.upper_us),
      },
    }
  })
  return { axis_us, rows }
}
