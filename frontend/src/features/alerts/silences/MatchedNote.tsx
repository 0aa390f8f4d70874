/** How many open alerts the conditions hold for; where they leave nothing out, that has to be chosen in so many words. */

import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { alertsNowQuery } from '../../../api/alerts'
import type { Matcher } from '../../../api/types'
import * as silencesCopy from '../../../copy/silences'
import { Icon } from '../../../kit/mark/Icon'
import { plural } from '../../../lib/text'
import { holdsFor, isEverything, isHalf } from './matchers'

interface MatchedNoteProps {
  matchers: readonly Matcher[]
  /** Whether "everything" was chosen. */
  isMeant: boolean
  onMean: (isMeant: boolean) => void
  problem: string | undefined
}

export function MatchedNote({ matchers, isMeant, onMean, problem }: MatchedNoteProps) {
  const { data } = useQuery(alertsNowQuery())
  const open = data && [...data.alerts, ...data.pending]
  const count = open?.filter((alert) => holdsFor(matchers, alert)).length
  const words =
    isHalf(matchers) || count === undefined || open === undefined
      ? null
      : silencesCopy.matchNow(
          count === 0 ? silencesCopy.none : String(count),
          plural(open.length, silencesCopy.openAlert),
          count === 1 ? silencesCopy.matches : silencesCopy.match,
        )
  if (!isEverything(matchers)) return words && <p className="muted">{words}</p>
  return (
    <div className="note flex gap-10" data-tone="warn">
      <Icon name="warning" />
      <div className="grid gap-8">
        <p>
          {silencesCopy.matchesAll} {words}
        </p>
        <Checkbox
          label={silencesCopy.silenceAll}
          checked={isMeant}
          onChange={(event) => onMean(event.currentTarget.checked)}
          error={problem}
        />
      </div>
    </div>
  )
}

/** What is wrong with leaving nothing out unless it was chosen. */
export const everythingProblem = (matchers: readonly Matcher[], isMeant: boolean): string | undefined =>
  isEverything(matchers) && !isMeant ? silencesCopy.confirmAll : undefined
