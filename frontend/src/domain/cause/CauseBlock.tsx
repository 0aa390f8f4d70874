/** Who or what is behind an excess, which limit binds, and the numbers that prove it. Without a single cause: the candidates. */

import type { ReactNode } from 'react'
import type { Cause, CauseCandidate } from '../../api/types'
import { shareText } from '../../charts/waterfall'
import * as causeCopy from '../../copy/cause'
import { leastWidth } from '../../kit/layout/columns'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatClock, formatWindow, zoneName } from '../../lib/time'
import { formatCount } from '../../lib/units'
import { unbroken } from '../diagnosis/unbroken'
import styles from './Cause.module.css'
import { CauseRefs } from './CauseRefs'
import { causeConfidence } from './confidence'
import { LimitBar } from './LimitBar'
import { evidenceText, formatCauseNumber, formatLabeled, limitText } from './numbers'

/** Who and which limit beside the sentence, its proof below both. Nothing where the sentence has said all there is. */
export function CauseBlock({ cause }: { cause: Cause }) {
  if (cause.kind === 'no_single_cause' && cause.candidates.length === 0) return null
  return (
    <section className="stack start narrow gap-8" aria-label={causeCopy.region}>
      <Head cause={cause} />
      {cause.candidates.length > 0 && <Candidates candidates={cause.candidates} />}
      <Rows rows={whoRows(cause)} />
    </section>
  )
}

export const CauseProof = ({ cause }: { cause: Cause }) => <Rows rows={proofRows(cause)} across />

function Head({ cause: { label, candidates, confidence, from_at, to_at } }: { cause: Cause }) {
  const { zone } = usePreferences()
  // That there is no single cause is in the sentence.
  const title = candidates.length > 0 ? causeCopy.candidates : label
  const sure = confidence === null ? null : causeConfidence(confidence)
  return (
    <header className="flex wrap baseline gap-words">
      <h3 className="title">{title}</h3>
      {sure !== null && (
        <button type="button" className="plain quiet dotted" data-tip={sure.meaning}>
          {sure.label}
        </button>
      )}
      {from_at !== null && to_at !== null && (
        <span className="push quiet tabular">{formatWindow(Date.parse(from_at), Date.parse(to_at), zone)}</span>
      )}
    </header>
  )
}

type Row = [string, ReactNode]

const whoRows = (cause: Cause): Row[] => {
  const { object, on, limit } = cause
  return [
    [causeCopy.object, object === null ? null : <Who key="who" cause={cause} object={object} />],
    [causeCopy.at, on === null || isSame(object, on) ? null : <CauseRefs key="on" object={on} />],
    [causeCopy.share, shareWords(cause)],
    [causeCopy.limit, limit === null ? null : <Limit key="limit" limit={limit} />],
  ]
}

const proofRows = ({ evidence, twin, changed }: Cause): Row[] => [
  [causeCopy.evidence, evidence.length === 0 ? null : <Evidence key="evidence" evidence={evidence} />],
  [causeCopy.proof, twin === null ? null : twinText(twin)],
  [causeCopy.changed, changed === null ? null : <Changed key="changed" changed={changed} />],
]

/** What was not measured has no row. `across`: beside each other where there is room. */
function Rows({ rows, across = false }: { rows: readonly Row[]; across?: boolean }) {
  const shown = rows.filter(([, value]) => value !== null)
  if (shown.length === 0) return null
  return (
    <dl
      className={`${styles.rows} size-label ${across ? `${styles.across} fitted ruled above` : 'grid'}`}
      style={across ? leastWidth(320) : undefined}
    >
      {shown.map(([term, value]) => (
        <div key={term} className={`${styles.row} grid gap-10`}>
          <dt className="muted">{term}</dt>
          <dd className="narrow breaks">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const lastOf = ({ refs }: NonNullable<Cause['object']>) => refs.at(-1)

/** Where a volume is at its own limit, "where" says nothing new. */
function isSame(object: Cause['object'], on: NonNullable<Cause['on']>): boolean {
  if (object === null) return false
  const [one, other] = [lastOf(object), lastOf(on)]
  return one !== undefined && one.kind === other?.kind && one.id === other.id
}

function Who({ cause, object }: { cause: Cause; object: NonNullable<Cause['object']> }) {
  return (
    <>
      <CauseRefs object={object} />
      {cause.object_count > 1 && <span className="muted"> {causeCopy.more(formatCount(cause.object_count - 1))}</span>}
    </>
  )
}

function shareWords({ share, share_of, iops }: Cause): string | null {
  const part =
    share === null ? null : share_of === null ? shareText(share) : causeCopy.shareOf(shareText(share), share_of)
  const words = [part, iops === null ? null : formatCauseNumber(iops, 'IOPS')].filter((word) => word !== null)
  return words.length === 0 ? null : unbroken(words.join(', '))
}

function Limit({ limit }: { limit: NonNullable<Cause['limit']> }) {
  return (
    <span className="stack gap-2">
      <span className="tabular breaks" title={limit.is_derived ? causeCopy.derivedHint : undefined}>
        {limit.name}: <strong>{unbroken(limitText(limit))}</strong>
      </span>
      <LimitBar limit={limit} />
      {limit.set_where !== null && <span className="small breaks">{causeCopy.setWhere(limit.set_where)}</span>}
    </span>
  )
}

function Evidence({ evidence }: { evidence: Cause['evidence'] }) {
  return (
    <ul className={styles.evidence}>
      {evidence.map((one) => (
        <li key={one.label} title={one.is_derived ? causeCopy.derivedHint : undefined}>
          {one.label} <span className="numeric">{unbroken(evidenceText(one))}</span>
        </li>
      ))}
    </ul>
  )
}

/** "Binds in 5 of 5 elevated minutes, in 0 of 15 normal minutes before". */
function twinText(twin: NonNullable<Cause['twin']>): string {
  const now = causeCopy.binds(
    formatCount(twin.binding_minutes),
    plural(twin.elevated_minutes, causeCopy.elevatedMinute),
  )
  if (twin.normal_minutes === 0) return now + causeCopy.noNormal
  const before = plural(twin.normal_minutes, causeCopy.normalMinute)
  return now + causeCopy.bindsBefore(formatCount(twin.normal_binding_minutes), before)
}

/** "02:10 UTC, mail-01: IOPS 210 → 1,480, 84 % of the added I/O time". */
function Changed({ changed }: { changed: NonNullable<Cause['changed']> }) {
  const { zone } = usePreferences()
  const at_ms = Date.parse(changed.at)
  const changes = changed.changes
    .filter(({ before, after }) => before !== null && after !== null)
    .map(({ label, before, after, unit }) => [label, formatLabeled(before, unit), formatLabeled(after, unit)] as const)
    .filter(([, before, after]) => before !== after)
    .map((words) => causeCopy.change(...words))
  const when = causeCopy.changedAt(`${formatClock(at_ms, zone)} ${zoneName(zone, at_ms)}`, changed.object.name)
  return <>{unbroken(when + changes.join(', ') + causeCopy.added(shareText(changed.added_share)))}</>
}

function Candidates({ candidates }: { candidates: readonly CauseCandidate[] }) {
  return (
    <ol className={`${styles.candidates} list grid size-label gap-6`} aria-label={causeCopy.candidates}>
      {candidates.map((one) => (
        <li key={`${one.kind}-${one.headline}`}>
          <span className="flex wrap between breaks gap-words">
            <span>{unbroken(one.headline)}</span>
            <span className="muted nowrap">{unbroken(causeCopy.weight(shareText(one.weight)))}</span>
          </span>
          <span className="small breaks">{causeCopy.needs(one.needs)}</span>
        </li>
      ))}
    </ol>
  )
}
