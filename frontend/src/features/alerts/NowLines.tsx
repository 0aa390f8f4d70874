/** What holds now of an open alert: its newest number, the diagnosis of the newest minutes, and what is not as it was when it fired. */

import { useQuery } from '@tanstack/react-query'
import { diagnosisQuery } from '../../api/diagnoses'
import type { EntityKind } from '../../api/queries'
import type { AlertDetail, Diagnosis, RuleOut } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import { formatMinute } from '../../domain/alerts/words'
import { kindOfSubject } from '../../domain/kinds'
import { ConfidenceLabel } from '../../domain/severity/ConfidenceLabel'
import { Icon } from '../../kit/mark/Icon'
import { serverNow } from '../../lib/clock'
import { usePreferences } from '../../lib/preferences'
import { visibleName } from '../../lib/text'
import { useNow } from '../../lib/useNow'
import { changesOf, nowOf, stillNamed } from './standingNow'

interface NowLinesProps {
  alert: AlertDetail
  rule: RuleOut | undefined
}

export function NowLines({ alert, rule }: NowLinesProps) {
  const { zone } = usePreferences()
  const kind = kindOfSubject(alert.subject.kind)?.id
  if (alert.ended_at !== null)
    return (
      <p>
        <strong>{alertsCopy.cleared}</strong> {formatMinute(alert.recovered_at ?? alert.ended_at, zone)}
      </p>
    )
  if (kind === undefined) return <Told alert={alert} rule={rule} diagnosis={undefined} />
  return <Judged alert={alert} rule={rule} kind={kind} />
}

function Judged({ alert, rule, kind }: NowLinesProps & { kind: EntityKind }) {
  const { data } = useQuery(diagnosisQuery(kind, alert.subject.id, null))
  return <Told alert={alert} rule={rule} diagnosis={data} />
}

function Told({ alert, rule, diagnosis }: NowLinesProps & { diagnosis: Diagnosis | undefined }) {
  const { zone } = usePreferences()
  useNow()
  const now_ms = serverNow()
  const now = nowOf(alert, rule, zone, now_ms)
  // Of minutes that ended long ago the diagnosis says nothing of now either.
  const fresh = now?.isOld ? undefined : diagnosis
  const changes = changesOf(alert, fresh, zone, now_ms)
  const still = stillNamed(alert, fresh)
  return (
    <>
      {now !== null && (
        <p className={now.isOld ? 'muted' : undefined} data-old={now.isOld}>
          <strong>{alertsCopy.now}</strong> {[now.words, still].filter((words) => words !== null).join('; ')}
        </p>
      )}
      {fresh?.state === 'judged' && still === null && alert.fired_at !== null && (
        <p>
          <strong>{alertsCopy.diagnosisNow}</strong> {visibleName(fresh.sentence.head.text)}.{' '}
          <ConfidenceLabel diagnosis={fresh} explained />
        </p>
      )}
      {changes.map((words) => (
        <p key={words} className="note flex start gap-8" data-tone="warn" role="status">
          <Icon name="warning" />
          <span>{words}.</span>
        </p>
      ))}
    </>
  )
}
