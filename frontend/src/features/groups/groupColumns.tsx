/** The columns of the list of groups. */

import type { ObjectGroup } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as groupsCopy from '../../copy/groups'
import * as overviewCopy from '../../copy/overview'
import { ios } from '../../domain/breakdown/ios'
import { LayerBar } from '../../domain/io-path/LayerBar'
import { EntityLink } from '../../domain/object/EntityLink'
import { groupSearch } from '../../domain/object/group'
import { WORST_SEVERITY_FIRST } from '../../domain/parameters'
import { causeClause } from '../../domain/severity/causeClause'
import { SEVERITIES } from '../../domain/severity/severity'
import { StateMark } from '../../kit/mark/StateMark'
import type { Column } from '../../kit/table/Column'
import { NameLink } from '../../kit/text/Name'
import { Quantity } from '../../kit/text/Quantity'
import { rounded } from '../../lib/csv'
import { visibleName } from '../../lib/text'
import { formatCount } from '../../lib/units'

export const insideOf = ({ totals }: ObjectGroup) => totals.occupancy.reduce((sum, layer) => sum + layer.ios, 0)

/** max_ios: outstanding I/Os that fill a bar. */
export const groupColumns = (label: string, max_ios: number): Column<ObjectGroup>[] => [
  {
    id: 'name',
    header: label,
    width: 190,
    minWidth: 140,
    grow: true,
    sortKey: 'name',
    csv: ({ value }) => (value === null ? null : visibleName(value)),
    cell: ({ value }) =>
      value === null ? (
        <span className="muted">{groupsCopy.without(label)}</span>
      ) : (
        <NameLink to="/group" search={groupSearch({ label, value })}>
          {value}
        </NameLink>
      ),
  },
  {
    id: 'severity',
    header: groupsCopy.severity,
    width: 150,
    compact: 'bare',
    csv: (row) => severityWords(row),
    cell: (row) => <Severities row={row} />,
  },
  {
    id: 'worst',
    header: groupsCopy.worst,
    width: 260,
    grow: true,
    csv: ({ worst }) => (worst === null ? null : `${visibleName(worst.subject.name)}: ${worst.sentence.text}`),
    compact: ({ worst }) => worst && <EntityLink to={worst.subject} />,
    cell: ({ worst }) => (worst === null ? <span className="faint">–</span> : <Worst row={worst} />),
  },
  {
    id: 'members',
    header: groupsCopy.vms,
    width: 70,
    align: 'right',
    sortKey: 'members',
    csv: ({ members }) => members,
    cell: ({ members }) => <span className="numeric">{formatCount(members)}</span>,
  },
  {
    id: 'layers',
    header: overviewCopy.outstandingIo,
    width: 150,
    priority: 3,
    csv: (row) => rounded(insideOf(row)),
    cell: ({ totals }) =>
      totals.occupancy.length === 0 ? (
        <span className="faint">–</span>
      ) : (
        <LayerBar
          pieces={totals.occupancy.map((layer) => ({ ...layer, size: layer.ios }))}
          max={max_ios}
          words={totals.occupancy.map((layer) => `${ios(layer.ios)} ${layer.label}`).join(', ')}
        />
      ),
  },
  {
    id: 'latency',
    header: commonCopy.latency,
    width: 106,
    align: 'right',
    priority: 3,
    csv: ({ totals }) => rounded(totals.total_us),
    cell: ({ totals }) => <Quantity value={totals.total_us} unit="µs" />,
  },
  {
    id: 'excess_outstanding',
    header: overviewCopy.excessOutstanding,
    width: 116,
    align: 'right',
    sortKey: 'excess_outstanding',
    csv: ({ totals }) => rounded(totals.excess_outstanding),
    cell: ({ totals }) => <span className="numeric">{ios(totals.excess_outstanding)}</span>,
  },
  {
    id: 'iops',
    header: commonCopy.iops,
    width: 106,
    align: 'right',
    priority: 4,
    sortKey: 'iops',
    csv: ({ totals }) => rounded(totals.iops),
    cell: ({ totals }) => <Quantity value={totals.iops} unit="ops/s" bare />,
  },
]

const elevatedOf = ({ totals }: ObjectGroup) =>
  WORST_SEVERITY_FIRST.filter((severity) => severity !== 'normal').flatMap((severity) => {
    const count = totals.by_severity[severity] ?? 0
    return count === 0
      ? []
      : [{ severity, words: groupsCopy.severityCount(formatCount(count), SEVERITIES[severity].word) }]
  })

function severityWords(row: ObjectGroup): string {
  const elevated = elevatedOf(row)
  if (elevated.length > 0) return elevated.map(({ words }) => words).join(', ')
  return (row.totals.by_state.judged ?? 0) > 0 ? groupsCopy.noneElevated : groupsCopy.noneDiagnosed
}

function Severities({ row }: { row: ObjectGroup }) {
  const elevated = elevatedOf(row)
  if (elevated.length === 0) {
    const isDiagnosed = (row.totals.by_state.judged ?? 0) > 0
    return isDiagnosed ? (
      <StateMark tone={SEVERITIES.normal.tone} word={severityWords(row)} />
    ) : (
      <span className="muted">{severityWords(row)}</span>
    )
  }
  return (
    <span className="grid gap-2">
      {elevated.map(({ severity, words }) => (
        <StateMark key={severity} tone={SEVERITIES[severity].tone} word={words} />
      ))}
    </span>
  )
}

function Worst({ row }: { row: NonNullable<ObjectGroup['worst']> }) {
  const cause = causeClause(row.cause)
  const said = cause === null ? row.sentence.text : `${row.sentence.text}. ${cause}`
  return (
    <span className="grid narrow" title={said}>
      <EntityLink to={row.subject} />
      <span className="cut">{said}</span>
    </span>
  )
}
