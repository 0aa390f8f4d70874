/** The environment as one: its diagnosis, its I/Os by layer, how many things are how sure. */

import type { EntityKind } from '../../api/queries'
import type { Overview } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as overviewCopy from '../../copy/overview'
import * as unitsCopy from '../../copy/units'
import { ios } from '../../domain/breakdown/ios'
import { meanWords, troubledOf, troubledWords } from '../../domain/diagnosis/troubled'
import { useFilters } from '../../domain/filters/useFilters'
import { LayerBar, LayerSwatch } from '../../domain/io-path/LayerBar'
import { kindInAddress } from '../../domain/kinds'
import { EntityLink } from '../../domain/object/EntityLink'
import { WORST_SEVERITY_FIRST } from '../../domain/parameters'
import { ConfidenceLabel } from '../../domain/severity/ConfidenceLabel'
import { causeClause } from '../../domain/severity/causeClause'
import { SeverityMark } from '../../domain/severity/SeverityMark'
import { SEVERITIES, stateLabel } from '../../domain/severity/severity'
import { Card } from '../../kit/layout/Card'
import { StateMark } from '../../kit/mark/StateMark'
import { AtOnce } from '../../lib/search'
import { formatBytesPerSecond, formatCount, formatIops } from '../../lib/units'
import styles from './Overview.module.css'

interface EnvironmentCardProps {
  overview: Overview
  kind: EntityKind
}

export function EnvironmentCard({ overview, kind }: EnvironmentCardProps) {
  const { environment, totals } = overview
  const inside = insideOf(environment.occupancy)
  return (
    <Card
      title={overviewCopy.environment}
      hint={environment.iops === null ? undefined : rates(environment.iops, environment.bytes_per_s)}
    >
      <div className={`${styles.environment} stack`}>
        <div>
          <Headline overview={overview} kind={kind} />
          {environment.excess_outstanding !== null && (
            <p className="muted" title={overviewCopy.excessHint}>
              {overviewCopy.excessOutstandingIo(ios(environment.excess_outstanding))}
            </p>
          )}
        </div>
        <div>
          <InsideLayers occupancy={environment.occupancy} words={insideWords(environment, inside)} />
        </div>
      </div>
      <AtOnce>
        <Counts totals={totals} kind={kind} />
      </AtOnce>
    </Card>
  )
}

interface InsideLayersProps {
  occupancy: Overview['totals']['occupancy']
  words: string
}

/** I/Os inside each layer, with their sum in words. */
export function InsideLayers({ occupancy, words }: InsideLayersProps) {
  return (
    <>
      <p className="muted" style={{ marginBottom: 8 }}>
        {words}
      </p>
      <LayerBar
        tall
        pieces={occupancy.map((layer) => ({ ...layer, size: layer.ios }))}
        max={Math.max(insideOf(occupancy), 1e-9)}
        words={occupancy.map((layer) => `${ios(layer.ios)} ${layer.label}`).join(', ') || unitsCopy.noIo}
      />
      <ul className="flex wrap above gap-wrap">
        {occupancy.map((layer) => (
          <li
            key={layer.name}
            className="inline-row gap-6"
            title={commonCopy.rangeTitle(ios(layer.lower_ios), ios(layer.upper_ios))}
          >
            <LayerSwatch layers={layer.layers} />
            {layer.label} <strong className="numeric">{ios(layer.ios)}</strong>
          </li>
        ))}
      </ul>
    </>
  )
}

export const insideOf = (occupancy: Overview['totals']['occupancy']) =>
  occupancy.reduce((sum, layer) => sum + layer.ios, 0)

/** The mean over all I/Os can be normal while single objects are above baseline: these come first. */
function Headline({ overview: { environment, totals, items }, kind }: EnvironmentCardProps) {
  const troubled = troubledOf(totals)
  const marks = environment.severity === 'normal' && troubled > 0 ? null : <Marks environment={environment} />
  if (troubled === 0)
    return (
      <>
        {marks}
        <p className={`${styles.sentence} page-title`}>{environment.sentence.text}</p>
      </>
    )
  return (
    <>
      <p className={`${styles.sentence} page-title`}>{troubledWords(totals, kind)}</p>
      <Worst items={items} />
      <p>
        {meanWords(environment)} {marks}
      </p>
    </>
  )
}

/** The first of the ranking, whatever filters it: its sentence, and its cause where one is named. */
export function Worst({ items }: Pick<Overview, 'items'>) {
  const [row] = items
  if (row === undefined || row.until_at !== null || row.layer === null) return null
  const { subject, sentence } = row
  const cause = causeClause(row.cause)
  return (
    <p>
      {overviewCopy.worst} <EntityLink to={subject} /> · {sentence.text}
      {cause !== null && `. ${cause}`}
    </p>
  )
}

function insideWords({ state }: Overview['environment'], inside: number): string {
  if (inside > 0) return overviewCopy.byLayer(ios(inside))
  return state === 'idle' ? overviewCopy.noOutstandingIo : overviewCopy.notMeasured
}

export const rates = (iops: number, bytes_per_s: number | null) =>
  bytes_per_s === null ? formatIops(iops) : `${formatIops(iops)}, ${formatBytesPerSecond(bytes_per_s)}`

interface CountsProps extends Omit<EnvironmentCardProps, 'overview'> {
  totals: Overview['totals']
}

function Marks({ environment }: { environment: Overview['environment'] }) {
  return (
    <span className="inline-row wrap gap-words">
      <SeverityMark diagnosis={environment} />
      <ConfidenceLabel diagnosis={environment} explained />
    </span>
  )
}

/** How many have each severity; choosing one filters the ranking below. */
export function Counts({ totals, kind }: CountsProps) {
  const { values, set } = useFilters()
  const words = kindInAddress(kind)?.titles ?? kind
  return (
    <fieldset className={`${styles.counts} row wrap gap-8`} aria-label={overviewCopy.bySeverity(words)}>
      {WORST_SEVERITY_FIRST.map((severity) => {
        const isChosen = severity === values.severity
        const { word, tone } = SEVERITIES[severity]
        return (
          <button
            key={severity}
            type="button"
            className={`${styles.count} plain inline-row gap-10`}
            aria-pressed={isChosen}
            onClick={() => set('severity', isChosen ? '' : severity)}
          >
            <span className={`${styles.number} size-lead tabular`}>
              {formatCount(totals.by_severity[severity] ?? 0)}
            </span>
            <StateMark tone={tone} word={word} />
          </button>
        )
      })}
      {totals.ended > 0 && (
        <span className={`${styles.other} muted`}>{overviewCopy.clearedRecently(formatCount(totals.ended))}</span>
      )}
      {(['too_few', 'idle', 'not_measured', 'no_data'] as const).map(
        (state) =>
          (totals.by_state[state] ?? 0) > 0 && (
            <span key={state} className={`${styles.other} muted`}>
              {formatCount(totals.by_state[state] ?? 0)} {stateLabel(state).toLowerCase()}
            </span>
          ),
      )}
    </fieldset>
  )
}
