import type { ReactNode } from 'react'

/** A number, and below it in small what it has to be read with. */
export function Noted({ note, title, children }: { note: string | null; title?: string; children: ReactNode }) {
  if (note === null) return children
  return (
    <span className="stack right tight" title={title}>
      {children}
      <span className="small">{note}</span>
    </span>
  )
}
