import * as findingsCopy from '../../copy/findings'
import { usePreferences } from '../../lib/preferences'
import { formatMoment, zoneName } from '../../lib/time'

/** As of when findings are: rules are evaluated every few minutes. */
export function Evaluated({ at }: { at: string | null }) {
  const { zone } = usePreferences()
  if (at === null) return <span className="muted">{findingsCopy.notEvaluated}</span>
  const at_ms = Date.parse(at)
  return (
    <span className="muted numeric">
      {findingsCopy.evaluatedAt(`${formatMoment(at_ms, zone, true)} ${zoneName(zone, at_ms)}`)}
    </span>
  )
}
