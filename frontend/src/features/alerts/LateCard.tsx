/** Breaches that were found when samples came late: they are shown, and page nobody. */

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { lateQuery } from '../../api/alerts'
import { serverNow } from '../../api/serverClock'
import { askedFor, cutWords, type ShownLate, shownLate } from '../../components/alerts/late'
import { formatAmount, severityMark } from '../../components/alerts/words'
import { Card } from '../../components/Card'
import { DataState } from '../../components/DataState'
import { EntityLink } from '../../components/EntityLink'
import { Name } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import { type Column, VirtualTable } from '../../components/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { formatSeconds, formatWindow } from '../../lib/time'
import { useRange } from '../../lib/url'
import styles from './Alerts.module.css'
import { ALERT_ROW_PX } from './alertColumns'

export function LateCard() {
  const { zone } = usePreferences()
  const [range] = useRange()
  const now_ms = serverNow()
  const query = useQuery(lateQuery(askedFor(range, now_ms)))
  const columns = useMemo<Column<ShownLate>[]>(
    () => [
      { id: 'rule', header: 'Rule', width: 190, narrow: 150, cell: (late) => <Name focusable>{late.rule_name}</Name> },
      {
        id: 'severity',
        header: 'Severity',
        width: 106,
        cell: (late) => <StateMark {...severityMark(late.severity)} />,
      },
      { id: 'of', header: 'Of', width: 190, grow: true, cell: (late) => <EntityLink to={late.subject} /> },
      {
        id: 'when',
        header: 'When',
        width: 250,
        cell: (late) => (
          <span className={styles.two}>
            <span className="numeric">{formatWindow(Date.parse(late.from_at), Date.parse(late.to_at), zone)}</span>
            <span className={styles.small}>{cutWords(late)}</span>
          </span>
        ),
      },
      {
        id: 'minutes',
        header: 'Lasted',
        width: 90,
        align: 'right',
        cell: (late) => (
          <span className="numeric">
            {cutWords(late) === null ? '' : '≥ '}
            {formatSeconds(late.minutes * 60)}
          </span>
        ),
      },
      {
        id: 'peak',
        header: 'Up to',
        width: 110,
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
    <Card title="Found late" hint="Samples that came long after their time" flush>
      <DataState query={query} skeleton={<Skeleton height={120} />}>
        {() => (
          <>
            <p className={styles.note}>These minutes were over a threshold, but known too late to tell anybody.</p>
            <VirtualTable
              label="Found late"
              columns={columns}
              count={shown.length}
              rowAt={(index) => shown[index]}
              rowPx={ALERT_ROW_PX}
              rowKey={(late) => `${late.rule_id}-${late.subject.kind}-${late.subject.id}-${late.from_at}`}
            />
          </>
        )}
      </DataState>
    </Card>
  )
}
