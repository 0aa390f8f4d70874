/** What a diagnosis rests on and what it does not say: checks, caveats, and what would confirm it. */

import type { Diagnosis, Sentence } from '../../api/types'
import { shareText } from '../../charts/waterfall'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as overviewCopy from '../../copy/overview'
import * as sectionsCopy from '../../copy/sections'
import { Card } from '../../kit/layout/Card'
import { leastWidth } from '../../kit/layout/columns'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatClock, formatSeconds, formatWindow } from '../../lib/time'
import { formatCount, formatIops, formatLatency } from '../../lib/units'
import { ios } from '../breakdown/ios'
import styles from './Diagnosis.module.css'
import { NO_DIAGNOSIS } from './noDiagnosis'
import { unbroken } from './unbroken'

export function DetailsCard({ diagnosis }: { diagnosis: Diagnosis }) {
  const { zone } = usePreferences()
  const words = formatWindow(Date.parse(diagnosis.from_at), Date.parse(diagnosis.to_at), zone)
  return (
    <Card title={sectionsCopy.details} hint={<span className="numeric">{words}</span>}>
      <p>
        <strong>{unbroken(diagnosis.sentence.head.text)}</strong>.
      </p>
      {diagnosis.state === 'judged' ? (
        <>
          <Statements sentence={diagnosis.sentence} quality={diagnosis.data_quality} />
          <Checks diagnosis={diagnosis} />
        </>
      ) : (
        <p className="quiet pretty above">{NO_DIAGNOSIS[diagnosis.state]}</p>
      )}
      <Recalculated diagnosis={diagnosis} />
    </Card>
  )
}

/** Samples can arrive, or be filled by their source, after their minute was diagnosed: the numbers are of all of them. */
function Recalculated({ diagnosis: { data_quality: quality, from_at, to_at } }: { diagnosis: Diagnosis }) {
  const { zone } = usePreferences()
  if (quality.recalculated_at === null) return null
  const minutes = Math.round((Date.parse(to_at) - Date.parse(from_at)) / 60_000)
  const at = formatClock(Date.parse(quality.recalculated_at), zone, true)
  return (
    <p className="quiet pretty above">
      {diagnosisCopy.recalculated(formatCount(quality.recalculated_minutes), plural(minutes, diagnosisCopy.minute), at)}
    </p>
  )
}

const textsOf = (statements: Sentence['reasons']) => statements.map(({ text }) => text)

function Statements({ sentence, quality }: { sentence: Sentence; quality: Diagnosis['data_quality'] }) {
  const groups = [
    [diagnosisCopy.evidence, textsOf(sentence.reasons)],
    [diagnosisCopy.caveats, textsOf(sentence.caveats)],
    [diagnosisCopy.toConfirm, sentence.to_confirm],
    [diagnosisCopy.qualityOf(quality.quality ?? ''), quality.quality === null ? [] : quality.quality_reasons],
  ] as const
  return (
    <dl className={`${styles.statements} fitted above`} style={leastWidth(260)}>
      {groups
        .filter(([, texts]) => texts.length > 0)
        .map(([term, texts]) => (
          <div key={term}>
            <dt className="quiet">{term}</dt>
            <dd>
              <ul>
                {texts.map((text) => (
                  <li key={text}>{unbroken(text)}</li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
    </dl>
  )
}

/** Samples are never cut to the second: less than that is no sample. */
const LEAST_MISSING_S = 1

/** Not what the total is over: a layer that is faster than expected makes up for nothing here. */
const LOST = diagnosisCopy.excessHint

/** Of the window, and of those that did I/O: tables below tell each queue as it is set, and charts as it was in each minute. */
const DEPTH = diagnosisCopy.depthHint

/** Less of it is rounding. */
const WORTH_NAMING = 0.05

/** "1.25 ms: Array 1.13 ms, Kernel 0.12 ms": the diagnosis names one layer, and this is of all. */
function lostText({ excess_us, layers }: Diagnosis): string | null {
  if (excess_us === null) return null
  const over = layers.filter((layer) => layer.excess_us > WORTH_NAMING * excess_us)
  const parts = over
    .sort((a, b) => b.excess_us - a.excess_us)
    .map((layer) => `${layer.label} ${formatLatency(layer.excess_us)}`)
  return parts.length < 2 ? formatLatency(excess_us) : `${formatLatency(excess_us)}: ${parts.join(', ')}`
}

/** An array may have volumes that no polled host uses; what the evidence tells holds these, too. */
function matchText({ data_quality: { match_ratio }, subject }: Diagnosis): string | null {
  if (match_ratio === null) return null
  return subject.kind === 'array' ? diagnosisCopy.matchedVolumes(shareText(match_ratio)) : shareText(match_ratio)
}

function matchHint({ matched_host_iops, matched_array_iops }: Diagnosis['data_quality']): string | undefined {
  if (matched_host_iops === null || matched_array_iops === null) return undefined
  return diagnosisCopy.matchHint(formatIops(matched_host_iops), formatIops(matched_array_iops))
}

/** "DQLEN 32–64, 12 queues on 4 hosts": each queue is one host's, so depths never add up. */
function depthsText({
  lowest,
  highest,
  queues,
  hosts,
}: NonNullable<Diagnosis['data_quality']['queue_depths']>): string {
  const depth = lowest === highest ? formatCount(lowest) : commonCopy.range(formatCount(lowest), formatCount(highest))
  return diagnosisCopy.depths(depth, plural(queues, diagnosisCopy.queue), plural(hosts, diagnosisCopy.host))
}

/** The numbers by which the diagnosis can be doubted. */
function Checks({ diagnosis }: { diagnosis: Diagnosis }) {
  const quality = diagnosis.data_quality
  const little =
    quality.outstanding_ios === null || quality.modelled_ios === null
      ? null
      : diagnosisCopy.measuredModeled(ios(quality.outstanding_ios), ios(quality.modelled_ios))
  const checks: [string, string | null, string?][] = [
    [diagnosisCopy.excessLatency, lostText(diagnosis), LOST],
    [diagnosisCopy.excessOutstanding, diagnosis.excess_outstanding === null ? null : ios(diagnosis.excess_outstanding)],
    [diagnosisCopy.hostArrayMatch, matchText(diagnosis), matchHint(quality)],
    [diagnosisCopy.queueDepth, quality.queue_depths === null ? null : depthsText(quality.queue_depths), DEPTH],
    [overviewCopy.outstandingIo, little],
    [diagnosisCopy.clockSkew, quality.offset_error_s === null ? null : formatSeconds(quality.offset_error_s)],
    [diagnosisCopy.inconsistency, quality.disagreement_us ? formatLatency(quality.disagreement_us) : null],
    [
      diagnosisCopy.missingSamples,
      quality.missing_s !== null && quality.missing_s >= LEAST_MISSING_S ? formatSeconds(quality.missing_s) : null,
    ],
  ]
  return (
    <dl className={`${styles.checks} flex wrap ruled`}>
      {checks.map(
        ([term, value, hint]) =>
          value !== null && (
            <div key={term} title={hint}>
              <dt className="quiet">{term}</dt>
              <dd className="numeric semibold">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
