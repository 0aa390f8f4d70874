/** The verdict of one object: one sentence, how sure and how good, why, what it does not say, what would settle it. */

import type { Sentence, Verdict } from '../../api/types'
import { shareText } from '../../charts/waterfall'
import { usePreferences } from '../../lib/preferences'
import { formatSeconds, formatWindow, instantMs } from '../../lib/time'
import { formatCount, formatIops, formatLatency } from '../../lib/units'
import { Card } from '../Card'
import { DataAge } from '../DataAge'
import { StateMark } from '../StateMark'
import { NO_VERDICT, standingMark } from './certainty'
import { EvidenceLink } from './EvidenceLink'
import { LayerSwatch } from './LayerBar'
import { namedLayers } from './namedWords'
import { ios } from './OccupancyCard'
import { SpanSwitch } from './SpanSwitch'
import { unbroken } from './unbroken'
import styles from './Verdict.module.css'

export function VerdictCard({ verdict }: { verdict: Verdict }) {
  const { zone } = usePreferences()
  const mark = standingMark(verdict)
  const named = namedLayers(verdict)
  const isJudged = verdict.state === 'judged'
  const words = formatWindow(Date.parse(verdict.from_at), Date.parse(verdict.to_at), zone)
  return (
    <Card title="Verdict" hint={<span className="numeric">{words}</span>} actions={<SpanSwitch />}>
      <div className={isJudged ? undefined : styles.faint}>
        <div className={styles.marks}>
          <StateMark tone={mark.tone} word={mark.word} />
          {isJudged && verdict.quality.grade !== null && <Grade quality={verdict.quality} />}
          <DataAge
            at_ms={instantMs(verdict.ledger_until_at)}
            of="newest judged minute"
            isPlain={verdict.state === 'no_data' || verdict.state === 'not_measured'}
          />
        </div>
        <p className={styles.sentence}>
          {named.length > 0 && <LayerSwatch layers={named} />}
          <strong>{unbroken(verdict.sentence.head)}</strong>.
        </p>
        <EvidenceLink evidence={verdict.evidence} />
        {verdict.state === 'judged' ? (
          <Reasons sentence={verdict.sentence} />
        ) : (
          <p className={styles.note}>{NO_VERDICT[verdict.state]}</p>
        )}
        {isJudged && <Checks verdict={verdict} />}
      </div>
    </Card>
  )
}

function Grade({ quality: { grade, grade_reasons } }: { quality: Verdict['quality'] }) {
  return (
    <span className={styles.grade}>
      <span className={styles.letter}>{grade}</span>
      <span>{grade_reasons.length === 0 ? 'Grade A: the best there is' : `Grade: ${grade_reasons.join('; ')}`}</span>
    </span>
  )
}

function Reasons({ sentence }: { sentence: Sentence }) {
  const settles = sentence.settles.map((text) => text.replace(/^What would settle it: /, ''))
  const groups = [
    ['Because', sentence.because],
    ['Keep in mind', sentence.caveats],
    ['What would settle it', settles],
  ] as const
  return (
    <dl className={styles.reasons}>
      {groups
        .filter(([, texts]) => texts.length > 0)
        .map(([term, texts]) => (
          <div key={term}>
            <dt>{term}</dt>
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
const LOST = 'what single layers take over what is expected of them, added up'

/** Of the window, and of those that did I/O: tables below tell each queue as it is set, and charts as it was in each minute. */
const DEPTH = 'room in the queues of all devices that did I/O, the most of the window'

/** Less of it is rounding. */
const WORTH_NAMING = 0.05

/** "1.25 ms: Array 1.13 ms, Kernel 0.12 ms": the verdict names one layer, and this is of all. */
function lostText({ excess_us, layers }: Verdict): string | null {
  if (excess_us === null) return null
  const over = layers.filter((layer) => layer.excess_us > WORTH_NAMING * excess_us)
  const parts = over
    .sort((a, b) => b.excess_us - a.excess_us)
    .map((layer) => `${layer.label} ${formatLatency(layer.excess_us)}`)
  return parts.length < 2 ? formatLatency(excess_us) : `${formatLatency(excess_us)}: ${parts.join(', ')}`
}

/** An array may have volumes that no polled host uses; what the evidence tells holds these, too. */
function coverageText({ quality: { coverage }, subject }: Verdict): string | null {
  if (coverage === null) return null
  return subject.kind === 'array' ? `${shareText(coverage)} on volumes that are matched to hosts` : shareText(coverage)
}

function coverageHint({ covered_host_iops, covered_array_iops }: Verdict['quality']): string | undefined {
  if (covered_host_iops === null || covered_array_iops === null) return undefined
  return `where both sides are known: ${formatIops(covered_host_iops)} by the hosts ÷ ${formatIops(covered_array_iops)} by the array`
}

/** The numbers by which the verdict can be doubted. */
function Checks({ verdict }: { verdict: Verdict }) {
  const { quality } = verdict
  const little =
    quality.outstanding_ios === null || quality.modelled_ios === null
      ? null
      : `${ios(quality.outstanding_ios)} counted, ${ios(quality.modelled_ios)} by IOPS × latency`
  const checks: [string, string | null, string?][] = [
    ['Lost per I/O', lostText(verdict), LOST],
    ['Impact', verdict.impact === null ? null : `${ios(verdict.impact)} I/Os wait needlessly`],
    ['All hosts’ ops ÷ the array’s', coverageText(verdict), coverageHint(quality)],
    [
      'Depth of its device queues',
      quality.queue_depth === null ? null : `${formatCount(quality.queue_depth)} I/Os together`,
      DEPTH,
    ],
    ['I/Os outstanding', little],
    ['Clocks within', quality.offset_error_s === null ? null : formatSeconds(quality.offset_error_s)],
    ['Sides disagree by', quality.disagreement_us ? formatLatency(quality.disagreement_us) : null],
    [
      'Samples missing',
      quality.missing_s !== null && quality.missing_s >= LEAST_MISSING_S ? formatSeconds(quality.missing_s) : null,
    ],
  ]
  return (
    <dl className={styles.checks}>
      {checks.map(
        ([term, value, hint]) =>
          value !== null && (
            <div key={term} className={styles.check} title={hint}>
              <dt>{term}</dt>
              <dd className="numeric">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
