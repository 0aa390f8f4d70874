/** Whether a host-side thing is tied to a volume of an array, and how. */

import type { Match, Ref } from '../api/types'
import { EntityLinks } from './EntityLink'
import styles from './MatchMark.module.css'
import { Name } from './Name'
import { StateMark } from './StateMark'

const BY: Record<NonNullable<Match['by']>, string> = {
  naa: 'NAA serial',
  eui: 'EUI serial',
  rdm: 'raw device mapping',
  vvol_tag: 'vVol tag',
  nfs_export: 'NFS export',
}

/** How the tie was found, in words. */
export function matchedBy(match: Match): string {
  return match.by === null ? '' : `tied by ${BY[match.by]}`
}

export function MatchedVolumes({ match, volumes }: { match: Match; volumes: readonly Ref[] }) {
  if (match.matched)
    return (
      <span title={matchedBy(match)}>
        {volumes.length === 0 ? matchedBy(match) : <EntityLinks to={volumes} most={1} />}
      </span>
    )
  return (
    <span className={styles.unmatched}>
      <StateMark tone="warn" word="unmatched" />
      {match.reason !== null && <Name focusable>{match.reason}</Name>}
    </span>
  )
}
