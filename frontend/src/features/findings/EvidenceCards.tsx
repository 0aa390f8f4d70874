/** The numbers of a finding with their times and counters, and objects side by side with those marked that differ. */

import type { FindingEvidence, FindingTable } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as findingsCopy from '../../copy/findings'
import { EntityLink } from '../../domain/object/EntityLink'
import { Card } from '../../kit/layout/Card'
import { StateMark } from '../../kit/mark/StateMark'
import { usePreferences } from '../../lib/preferences'
import { visibleName } from '../../lib/text'
import { formatMoment, formatWindow, type Zone, zoneName } from '../../lib/time'
import { formatUpTo, NOT_MEASURED } from '../../lib/units'
import styles from './Findings.module.css'

type Cell = FindingEvidence['value']

/** A setting in words, or a number with at most two decimals. */
const cellText = (value: Cell, unit = '') => {
  if (value === null) return NOT_MEASURED
  const text = typeof value === 'number' ? formatUpTo(value, 2) : visibleName(value)
  return unit === '' ? text : `${text} ${unit}`
}

function timeText({ from_at, to_at }: FindingEvidence, zone: Zone): string {
  const to_ms = Date.parse(to_at)
  if (from_at !== null) return formatWindow(Date.parse(from_at), to_ms, zone)
  return `${formatMoment(to_ms, zone)} ${zoneName(zone, to_ms)}`
}

export function EvidenceCard({ evidence }: { evidence: readonly FindingEvidence[] }) {
  const { zone } = usePreferences()
  return (
    <Card title={findingsCopy.evidence} flush>
      <Scrolling title={findingsCopy.evidence}>
        <thead>
          <tr>
            <th scope="col">{findingsCopy.evidence}</th>
            <th scope="col">{findingsCopy.value}</th>
            <th scope="col">{findingsCopy.time}</th>
            <th scope="col">{findingsCopy.counter}</th>
          </tr>
        </thead>
        <tbody>
          {evidence.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the evidence of a finding has one order
            <tr key={index}>
              <th scope="row">
                {visibleName(one.label)}
                {one.object !== null && (
                  <>
                    {' '}
                    <EntityLink to={one.object} />
                  </>
                )}
              </th>
              <td className="numeric" title={one.is_derived ? findingsCopy.derivedHint : undefined}>
                {one.is_derived ? findingsCopy.derived(cellText(one.value, one.unit)) : cellText(one.value, one.unit)}
              </td>
              <td className="numeric">{timeText(one, zone)}</td>
              <td className={`${styles.wide} muted`}>{one.counter}</td>
            </tr>
          ))}
        </tbody>
      </Scrolling>
    </Card>
  )
}

export function TableCard({ table: { title, columns, rows } }: { table: FindingTable }) {
  const hasObjects = rows.some(({ object }) => object !== null)
  return (
    <Card title={title} flush>
      <Scrolling title={title}>
        <thead>
          <tr>
            {hasObjects && <th scope="col">{commonCopy.object}</th>}
            {columns.map(({ label, unit }) => (
              <th key={label} scope="col">
                {unit === '' ? label : findingsCopy.headerUnit(label, unit)}
              </th>
            ))}
            <th scope="col" aria-label={findingsCopy.oddHint} />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ object, cells, is_odd }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a finding have one order
            <tr key={index} data-odd={is_odd}>
              {hasObjects && <th scope="row">{object !== null && <EntityLink to={object} />}</th>}
              {cells.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells stand under their heads
                <td key={at} className={typeof cell === 'number' ? 'numeric' : undefined}>
                  {cellText(cell)}
                </td>
              ))}
              <td title={is_odd ? findingsCopy.oddHint : undefined}>
                {is_odd && <StateMark tone="open" word={findingsCopy.odd} />}
              </td>
            </tr>
          ))}
        </tbody>
      </Scrolling>
    </Card>
  )
}

function Scrolling({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={findingsCopy.tableScroll(title)}>
      <table className={`${styles.rows} lines flush`} aria-label={title}>
        {children}
      </table>
    </section>
  )
}
