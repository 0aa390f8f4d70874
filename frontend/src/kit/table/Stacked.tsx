/** Several lines in one cell. */

import type { ReactNode } from 'react'

/** Whose, and below it the numbers of the row with their words. */
export function Stacked({ of, lines }: { of: ReactNode; lines: readonly ReactNode[] }) {
  return (
    <span className="stack tight taps">
      <span className="ends">{of}</span>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a row keep their places
        <span key={index} className="ends small numeric">
          {line}
        </span>
      ))}
    </span>
  )
}
