import { StateMark } from '../../kit/mark/StateMark'
import { usePreferences } from '../../lib/preferences'
import { type Diagnosed, severityLook } from './severity'

/** How bad, as shape, word and color; "Cleared 21:43" where it is over. */
export function SeverityMark({ diagnosis }: { diagnosis: Diagnosed }) {
  const { zone } = usePreferences()
  return <StateMark {...severityLook(diagnosis, zone)} />
}
