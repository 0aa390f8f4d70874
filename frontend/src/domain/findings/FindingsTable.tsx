/** Findings as rows: how bad, what it is, on which object, what to do first, since when. */

import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { FindingRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as findingsCopy from '../../copy/findings'
import { StateMark } from '../../kit/mark/StateMark'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { visibleName } from '../../lib/text'
import { formatMoment, type Zone, zoneName } from '../../lib/time'
import { formatCount } from '../../lib/units'
import { EntityLink } from '../object/EntityLink'
import { confidenceLabel } from '../severity/confidence'
import { acceptedWords, findingMark } from './words'

const ROW_PX = 62

interface FindingsTableProps {
  count: number
  rowAt: (index: number) => FindingRow | undefined
  onWindow?: (first: number, last: number) => void
}

export function FindingsTable({ count, rowAt, onWindow }: FindingsTableProps) {
  const { zone } = usePreferences()
  const columns = useMemo(() => findingColumns(zone), [zone])
  return (
    <VirtualTable
      label={findingsCopy.table}
      columns={columns}
      count={count}
      rowAt={rowAt}
      {...(onWindow ? { onWindow } : {})}
      rowKey={({ id }) => String(id)}
      rowPx={ROW_PX}
    />
  )
}

function findingColumns(zone: Zone): Column<FindingRow>[] {
  return [
    {
      id: 'finding',
      header: findingsCopy.finding,
      width: 260,
      grow: true,
      cell: (row) => <Title row={row} />,
    },
    {
      id: 'severity',
      header: findingsCopy.severity,
      width: 152,
      compact: 'bare',
      cell: (row) => <Marks row={row} zone={zone} />,
    },
    { id: 'object', header: commonCopy.object, width: 160, compact: 'bare', cell: (row) => <On row={row} /> },
    {
      id: 'advice',
      header: findingsCopy.whatToDo,
      width: 240,
      grow: true,
      compact: 'bare',
      cell: ({ advice }) => (
        <span className="clamp three tight size-label" title={advice}>
          {advice}
        </span>
      ),
    },
    {
      id: 'since',
      header: `${findingsCopy.since} (${zoneName(zone)})`,
      width: 142,
      align: 'right',
      cell: ({ raised_at }) => <span className="numeric">{formatMoment(Date.parse(raised_at), zone)}</span>,
    },
  ]
}

function Marks({ row, zone }: { row: FindingRow; zone: Zone }) {
  return (
    <span className="stack tight gap-2" title={row.accepted === null ? undefined : acceptedWords(row.accepted, zone)}>
      <StateMark {...findingMark(row, zone)} />
      <span className="ends small">{confidenceLabel(row.confidence)}</span>
    </span>
  )
}

function Title({ row: { id, title, rule_title } }: { row: FindingRow }) {
  const words = visibleName(title)
  return (
    <span className="stack tight gap-2">
      <Link to={`/findings/${id}` as string} className="clamp tight" title={words}>
        {words}
      </Link>
      <span className="ends small">{rule_title}</span>
    </span>
  )
}

function On({ row: { object, concerns } }: { row: FindingRow }) {
  return (
    <span className="stack tight gap-2">
      <EntityLink to={object} />
      {concerns > 0 && <span className="ends small">{findingsCopy.concerns(formatCount(concerns))}</span>}
    </span>
  )
}
