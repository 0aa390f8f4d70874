import { confidenceText } from './confidence'
import type { Diagnosed } from './severity'

interface ConfidenceLabelProps {
  diagnosis: Diagnosed
  /** Reachable by keyboard and touch, with its meaning as a tooltip: once on a page, not in each row of a table. */
  explained?: boolean
}

/** How sure: a neutral word beside the severity; nothing where nothing is named. */
export function ConfidenceLabel({ diagnosis, explained = false }: ConfidenceLabelProps) {
  const text = confidenceText(diagnosis)
  if (text === null) return null
  if (explained)
    return (
      <button type="button" className="plain quiet dotted" data-tip={text.meaning}>
        {text.label}
      </button>
    )
  return (
    <span className="small nowrap" title={text.meaning}>
      {text.label}
    </span>
  )
}
