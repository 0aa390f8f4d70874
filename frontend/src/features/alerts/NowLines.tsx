/** What holds now of an open alert: its newest number, the verdict of the newest minutes, and what is not as it was when it fired. */

import { useQuery } from '@tanstack/react-query'
import { serverNow } from '../../api/serverClock'
import type { AlertDetail, RuleOut, Verdict } from '../../api/types'
import { type JudgedKind, verdictQuery } from '../../api/verdicts'
import { atMinute } from '../../components/alerts/words'
import { Icon } from '../../components/Icon'
import { usePreferences } from '../../lib/preferences'
import { visibleName } from '../../lib/text'
import { useNow } from '../../lib/useNow'
import styles from './AlertPage.module.css'
import { judgedKindOf } from './judgedKind'
import { changesOf, nowOf, stillNamed } from './standingNow'

interface NowLinesProps {
  alert: AlertDetail
  rule: RuleOut | undefined
}

export function NowLines({ alert, rule }: NowLinesProps) {
  const { zone } = usePreferences()
  const kind = judgedKindOf(alert.subject.kind)
  if (alert.ended_at !== null)
    return (
      <p>
        <strong>Over</strong> {atMinute(alert.breach_ended_at ?? alert.ended_at, zone).replace(/^at /, 'since ')}
      </p>
    )
  if (kind === undefined) return <Told alert={alert} rule={rule} verdict={undefined} />
  return <Judged alert={alert} rule={rule} kind={kind} />
}

function Judged({ alert, rule, kind }: NowLinesProps & { kind: JudgedKind }) {
  const { data } = useQuery(verdictQuery(kind, alert.subject.id, null))
  return <Told alert={alert} rule={rule} verdict={data} />
}

function Told({ alert, rule, verdict }: NowLinesProps & { verdict: Verdict | undefined }) {
  const { zone } = usePreferences()
  useNow()
  const now_ms = serverNow()
  const now = nowOf(alert, rule, zone, now_ms)
  // Of minutes that ended long ago the verdict says nothing of now either.
  const fresh = now?.isOld ? undefined : verdict
  const changes = changesOf(alert, fresh, zone, now_ms)
  const still = stillNamed(alert, fresh)
  return (
    <>
      {now !== null && (
        <p className={now.isOld ? 'muted' : undefined} data-old={now.isOld}>
          <strong>Now</strong> {[now.words, still].filter((words) => words !== null).join('; ')}
        </p>
      )}
      {fresh?.state === 'judged' && still === null && alert.fired_at !== null && (
        <p>
          <strong>Verdict now</strong> {visibleName(fresh.sentence.head)}. {fresh.sentence.certainty}.
        </p>
      )}
      {changes.map((words) => (
        <p key={words} className={styles.changed} role="status">
          <Icon name="warning" />
          <span>{words}.</span>
        </p>
      ))}
    </>
  )
}
