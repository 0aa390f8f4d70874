/** What every board has: its name, the age of its numbers, a clock that ticks, how the sources are, and a banner when Gavel is lost. */

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { sourcesQuery } from '../../api/queries'
import type { AlertOut } from '../../api/types'
import * as errorsCopy from '../../copy/errors'
import * as wallsCopy from '../../copy/walls'
import { SourceMark } from '../../domain/sources/SourceMark'
import { Icon } from '../../kit/mark/Icon'
import { Name } from '../../kit/text/Name'
import { Worded } from '../../kit/text/Worded'
import { serverNow } from '../../lib/clock'
import { ApiError, isMissing, lostWords } from '../../lib/errors'
import { usePreferences } from '../../lib/preferences'
import { formatClock, instantMs, zoneName } from '../../lib/time'
import { useNow } from '../../lib/useNow'
import { type AgeState, ageState } from './age'
import { useDailyReload } from './useDailyReload'
import styles from './Wall.module.css'
import { WallAlerts } from './WallAlerts'
import frame from './WallFrame.module.css'
import { judgedWords, newestOf, oldWords, sourcesWords } from './wallWords'

type Asked = { error: Error | null; dataUpdatedAt: number; errorUpdatedAt: number }

interface WallFrameProps {
  title: string
  /** "2 of 3" where boards take turns. */
  turn?: string | undefined
  query: Asked
  /** Minutes before it have been attributed; null before there was one. */
  until_at: string | null
  /** Which alerts are this board's; left out, all of them. */
  alerts?: (alerts: readonly AlertOut[]) => readonly AlertOut[]
  children: (age: AgeState, age_ms: number | null) => ReactNode
}

export function WallFrame({ title, turn, query, until_at, alerts, children }: WallFrameProps) {
  const { zone } = usePreferences()
  useNow()
  useDailyReload(query.error === null)
  const lost_ms = useLostSince(query)
  const now = serverNow()
  const until_ms = instantMs(until_at)
  const age_ms = until_ms === null ? null : Math.max(0, now - until_ms)
  return (
    <main className={`${styles.wall} column`}>
      <header className={`${frame.head} flex baseline`}>
        <h1 className={`${frame.title} flex narrow fixed`}>
          <Name>{title}</Name>
        </h1>
        {turn !== undefined && <span className={`${styles.age} small numeric`}>{turn}</span>}
        <WallAlerts choose={alerts} />
        <time className="fixed push numeric bold">
          {formatClock(now, zone, true)} <span className="small regular">{zoneName(zone, now)}</span>
        </time>
      </header>
      {query.error !== null && <LostBanner error={query.error} since_ms={lost_ms} />}
      {children(ageState(age_ms), age_ms)}
      <Sources analyzed={judgedWords(until_at, age_ms, zone)} />
    </main>
  )
}

/** Since when there are no newer numbers: the newest that came, else the first try that failed. */
function useLostSince({ error, dataUpdatedAt, errorUpdatedAt }: Asked): number {
  const [kept_ms, keep] = useState(0)
  const failed_ms = error === null ? 0 : kept_ms === 0 ? errorUpdatedAt : kept_ms
  if (failed_ms !== kept_ms) keep(failed_ms)
  return dataUpdatedAt > 0 ? dataUpdatedAt : failed_ms
}

function LostBanner({ error, since_ms }: { error: Error; since_ms: number }) {
  const { zone } = usePreferences()
  const isAnswered = error instanceof ApiError && error.status !== null
  return (
    <div className={`${frame.banner} row semibold`} role="alert">
      <Icon name="warning" size={40} />
      <span>
        {wallsCopy.since(lostWords(error), formatClock(since_ms, zone, true))}{' '}
        {isAnswered && <Worded>{`${error.message} `}</Worded>}
        {errorsCopy.retrying}
      </span>
    </div>
  )
}

/** While the first numbers are on their way, or never came. */
export function Waiting({ of, error }: { of: string; error: Error | null }) {
  return (
    <p className={`${styles.quiet} grid grow muted`} aria-busy={error === null}>
      {error === null ? wallsCopy.loading(of) : isMissing(error) ? error.message : wallsCopy.noDataYet}
    </p>
  )
}

/** What is well needs no room: only how many are. `analyzed`: how old what the board says is. */
function Sources({ analyzed }: { analyzed: string }) {
  const { data, error } = useQuery(sourcesQuery())
  if (data === undefined || error !== null)
    return (
      <footer className={`${frame.sources} row wrap quiet`}>
        <span>{wallsCopy.sourcesUnknown}</span>
        <span className="push numeric">{analyzed}</span>
      </footer>
    )
  const now = serverNow()
  const unwell = data.filter(({ state }) => state === 'failing' || state === 'late')
  return (
    <footer className={`${frame.sources} row wrap quiet`}>
      <span>{sourcesWords(data, now)}</span>
      {unwell.slice(0, 4).map((source) => (
        <span key={source.id} className={`${frame.source} inline-row narrow ink`}>
          <SourceMark state={source.state} />
          <Name>{source.name}</Name>
          <span className="fixed muted">{oldWords(ageOf(newestOf(source), now))}</span>
        </span>
      ))}
      {unwell.length > 4 && <span>+{unwell.length - 4}</span>}
      <span className="push numeric">{analyzed}</span>
    </footer>
  )
}

const ageOf = (end_ms: number | null, now: number) => (end_ms === null ? null : Math.max(0, now - end_ms))
