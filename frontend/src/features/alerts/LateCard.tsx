/** Breaches that were found when samples came late: they are shown, and page nobody. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { lateQuery } from '../../api/alerts'
import * as alertsCopy from '../../copy/alerts'
import * as commonCopy from '../../copy/common'
import * as gapsCopy from '../../copy/gaps'
import { askedFor, cutWords, type ShownLate, shownLate } from '../../domain/alerts/late'
import { formatAmount, formatLength, severityMark } from '../../domain/alerts/words'
import { EntityLink } from '../../domain/object/EntityLink'
import { Card } from '../../kit/layout/Card'
import { StateMark } from '../../kit/mark/StateMark'
import { DataState } from '../../kit/state/DataState'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { serverNow } from '../../lib/clock'
import { usePreferences } from '../../lib/preferences'
import { formatWindow } from '../../lib/time'
import { useTrend } from '../../lib/url'
import { RowsSkeleton } from './RowsSkeleton'

/** Height of a row of two lines. */
const LATE_ROW_PX = 58

/** "5 min", "≥ 5 min" where the window cuts it. */
const lasted = (late: ShownLate) => `${cutWords(late) === null ? '' : '≥ '}${formatLength(late.minutes * 60_000)}`

export function LateCard() {
  const { zone } = usePreferences()
  const range = useTrend()
  const now_ms = serverNow()
  const query = useQuery(lateQuery(askedFor(range, now_ms)))
  const columns = useMemo<Column<ShownLate>[]>(
    () => [
      {
        id: 'rule',
        header: alertsCopy.rule,
        width: 190,
        grow: true,
        cell: (late) => <Name focusable>{late.rule_name}</Name>,
      },
      {
        id: 'severity',
        header: alertsCopy.severity,
        width: 106,
        compact: 'bare',
        cell: (late) => <StateMark {...severityMark(late.severity)} />,
      },
      {
        id: 'of',
        header: commonCopy.object,
        width: 190,
        grow: true,
        compact: 'bare',
        cell: (late) => <EntityLink to={late.subject} />,
      },
      {
        id: 'when',
        header: gapsCopy.when,
        width: 250,
        compact: 'bare',
        cell: (late) => (
          <span className="stack gap-2">
            <span className="numeric">{formatWindow(Date.parse(late.from_at), Date.parse(late.to_at), zone)}</span>
            <span className="ends quiet">{cutWords(late)}</span>
          </span>
        ),
      },
      {
        id: 'minutes',
        header: alertsCopy.duration,
        width: 90,
        align: 'right',
        cell: (late) => <span className="numeric">{lasted(late)}</span>,
      },
      {
        id: 'peak',
        header: alertsCopy.peakTerm,
        width: 130,
        align: 'right',
        cell: (late) => <span className="numeric">{formatAmount(late.peak, late.unit)}</span>,
      },
    ],
    [zone],
  )
  // Mostly there is none: nothing is announced until there is something to say.
  const shown = shownLate(query.data ?? [], range, now_ms)
  if (query.data === undefined ? query.errorUpdateCount === 0 : shown.length === 0) return null
  return (
    <Card title={alertsCopy.late} hint={alertsCopy.lateHint} flush>
      <DataState query={query} skeleton={<RowsSkeleton columns={columns} rows={2} rowPx={LATE_ROW_PX} />}>
        {() => (
          <>
            <p className="muted breaks inset-below">{alertsCopy.lateText}</p>
            <VirtualTable
              label={alertsCopy.late}
              columns={columns}
              count={shown.length}
              rowAt={(index) => shown[index]}
              rowPx={LATE_ROW_PX}
              rowKey={(late) => `${late.rule_id}-${late.subject.kind}-${late.subject.id}-${late.from_at}`}
            />
          </>
        )}
      </DataState>
    </Card>
  )
}
