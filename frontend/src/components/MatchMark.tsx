/** Whether a host-side thing is tied to a volume of an array, and how. */

import type { Match, Ref } from '../api/types'
import { EntityLinks } from './EntityLink'
import styles from './MatchMark.module.css'
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
  const told = [match.reason, match.remedy].filter((sentence) => sentence !== null).join(' ')
  return (
    <button type="button" className={styles.unmatched} data-tip={told || undefined}>
      <StateMark tone={match.needs_action ? 'warn' : 'calm'} word="unmatched" />
      <span className={styles.reason}>{match.reason}</span>
    </button>
  )
}
