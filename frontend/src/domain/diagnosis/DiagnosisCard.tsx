/** The diagnosis of one object: one sentence with its severity and confidence, why, and the numbers by which it can be doubted. */

import { lazy, Suspense } from 'react'
import type { Diagnosis } from '../../api/types'
import { shareText } from '../../charts/waterfall'
import * as diagnosisCopy from '../../copy/diagnosis'
import { Card } from '../../kit/layout/Card'
import { leastWidth } from '../../kit/layout/columns'
import { DataAge } from '../../kit/state/DataAge'
import { usePreferences } from '../../lib/preferences'
import { formatSeconds, formatWindow, instantMs } from '../../lib/time'
import { ios } from '../breakdown/ios'
import { CauseBlock, CauseProof } from '../cause/CauseBlock'
import { CauseSentence } from '../cause/CauseSentence'
import { EvidenceLink } from '../counters/EvidenceLink'
import { LayerSwatch } from '../io-path/LayerBar'
import { namedLayers } from '../io-path/namedWords'
import { kindOfSubject } from '../kinds'
import { ConfidenceLabel } from '../severity/ConfidenceLabel'
import { SeverityMark } from '../severity/SeverityMark'
import styles from './Diagnosis.module.css'
import { NO_DIAGNOSIS } from './noDiagnosis'
import { unbroken } from './unbroken'

/** Advice comes after the diagnosis. */
const NextStep = lazy(async () => ({ default: (await import('../findings/NextStep')).NextStep }))

/** `isMoving`: the window follows the clock, so that the age of what is newest is of interest. */
export function DiagnosisCard({ diagnosis, isMoving }: { diagnosis: Diagnosis; isMoving: boolean }) {
  const { zone } = usePreferences()
  const named = namedLayers(diagnosis)
  const isJudged = diagnosis.state === 'judged'
  const { cause } = diagnosis
  const findable = kindOfSubject(diagnosis.subject.kind)?.subject
  const words = formatWindow(Date.parse(diagnosis.from_at), Date.parse(diagnosis.to_at), zone)
  return (
    <Card
      title={diagnosisCopy.title}
      hint={
        <div className="row wrap gap-wrap">
          <SeverityMark diagnosis={diagnosis} />
          <ConfidenceLabel diagnosis={diagnosis} explained />
          {isJudged && diagnosis.data_quality.quality !== null && <Quality quality={diagnosis.data_quality} />}
          <span className="numeric">{words}</span>
          {isMoving && (
            <DataAge
              at_ms={instantMs(diagnosis.ledger_until_at)}
              ageText={diagnosisCopy.analyzedThrough}
              isPlain={diagnosis.state === 'no_data' || diagnosis.state === 'not_measured'}
            />
          )}
        </div>
      }
      stretch
    >
      <div className={isJudged ? undefined : styles.faint}>
        <div className={`${styles.answer} stack`} data-caused={cause !== null}>
          <div>
            <p className={`${styles.sentence} size-lead breaks pretty tight`}>
              {named.length > 0 && <LayerSwatch layers={named} />}
              <strong>{unbroken(diagnosis.sentence.head.text)}</strong>.
            </p>
            {cause !== null && <CauseSentence cause={cause} />}
            {cause !== null && cause.action !== '' && (
              <Suspense>
                <NextStep
                  rule={cause.finding}
                  of={findable && { kind: findable, id: diagnosis.subject.id }}
                  action={cause.action}
                />
              </Suspense>
            )}
            {diagnosis.state !== 'judged' && <p className="quiet pretty above">{NO_DIAGNOSIS[diagnosis.state]}</p>}
            {isJudged && (cause?.confidence ?? null) === null && <Reasons reasons={diagnosis.sentence.reasons} />}
            <p className="flex wrap muted above gap-words">
              {isJudged && <span>{basisOf(diagnosis)}</span>}
              <EvidenceLink evidence={diagnosis.evidence} />
            </p>
          </div>
          {cause !== null && <CauseBlock cause={cause} />}
        </div>
        {cause !== null && <CauseProof cause={cause} />}
      </div>
    </Card>
  )
}

function Quality({ quality: { quality, quality_reasons } }: { quality: Diagnosis['data_quality'] }) {
  const meaning =
    quality_reasons.length === 0 ? diagnosisCopy.qualityA : diagnosisCopy.dataQuality(quality_reasons.join('; '))
  return (
    <button type="button" className="plain inline-row muted gap-6" data-tip={meaning}>
      {diagnosisCopy.qualityA} <span className={`${styles.letter} fixed ink size-note`}>{quality}</span>
    </button>
  )
}

function Reasons({ reasons }: { reasons: Diagnosis['sentence']['reasons'] }) {
  if (reasons.length === 0) return null
  return (
    <ul className={`${styles.reasons} fitted`} style={leastWidth(380)} aria-label={diagnosisCopy.evidence}>
      {reasons.map(({ text }) => (
        <li key={text}>{unbroken(text)}</li>
      ))}
    </ul>
  )
}

/** "Excess outstanding I/O 12 · host/array match 100 % · clock skew ≤ 0.4 s". */
function basisOf({ excess_outstanding, data_quality: { match_ratio, offset_error_s } }: Diagnosis): string {
  return [
    excess_outstanding === null ? null : `${diagnosisCopy.excessOutstanding} ${ios(excess_outstanding)}`,
    match_ratio === null ? null : `${diagnosisCopy.hostArrayMatch} ${shareText(match_ratio)}`,
    offset_error_s === null ? null : `${diagnosisCopy.clockSkew} ${formatSeconds(offset_error_s)}`,
  ]
    .filter((one) => one !== null)
    .join(' · ')
}
