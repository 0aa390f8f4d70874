/** Whether a host-side thing is tied to a volume of an array, and how. */

import type { Match, Ref } from '../../api/types'
import * as objectsCopy from '../../copy/objects'
import { StateMark } from '../../kit/mark/StateMark'
import { EntityLinks } from './EntityLink'

const BY: Record<NonNullable<Match['by']>, string> = {
  naa: objectsCopy.byNaa,
  eui: objectsCopy.byEui,
  rdm: objectsCopy.byRdm,
  vvol_tag: objectsCopy.byVvolTag,
  nfs_export: objectsCopy.byNfsExport,
}

/** How the tie was found, in words. */
export function matchedBy(match: Match): string {
  return match.by === null ? '' : objectsCopy.matchedBy(BY[match.by])
}

export function MatchedVolumes({ match, volumes }: { match: Match; volumes: readonly Ref[] }) {
  if (match.matched)
    return (
      <span title={matchedBy(match)}>
        {volumes.length === 0 ? matchedBy(match) : <EntityLinks to={volumes} most={1} />}
      </span>
    )
  const told = [match.reason, match.remedy].filter((sentence) => sentence !== null).join(' ')
  return (
    <button type="button" className="plain row narrow muted gap-8" data-tip={told || undefined}>
      <StateMark tone={match.needs_action ? 'warn' : 'calm'} word={objectsCopy.unmatched} />
      <span className="ends">{match.reason}</span>
    </button>
  )
}
