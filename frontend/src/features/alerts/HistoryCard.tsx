/** What was open in the window of the page, newest first. */

import { NativeSelect } from '@mantine/core'
import { useMemo } from 'react'
import { alertHistoryQuery } from '../../api/alerts'
import type { ListPage } from '../../api/queries'
import type { AlertOut } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import { SEVERITIES } from '../../domain/alerts/words'
import { useServerRows } from '../../domain/lists/useServerRows'
import { ALERT_SEVERITY, FILTER } from '../../domain/parameters'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import { NameFilter } from '../../kit/table/NameFilter'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { presetLabel } from '../../lib/range'
import { formatWindow } from '../../lib/time'
import { useParameter, useTrend } from '../../lib/url'
import { PAST_ROW_PX, pastColumns } from './alertColumns'
import { RowsSkeleton } from './RowsSkeleton'

export function HistoryCard() {
  const { zone } = usePreferences()
  const range = useTrend()
  const [search, setSearch] = useParameter(FILTER)
  const [chosen, choose] = useParameter(ALERT_SEVERITY)
  const severity = chosen === '' ? null : chosen
  const params = useMemo(() => ({ search, severity, range }), [search, severity, range])
  const { query, rowAt, onWindow } = useServerRows<AlertOut, ListPage<AlertOut>>(
    (offset) => alertHistoryQuery(params, offset) as never,
  )
  const columns = useMemo(() => pastColumns(zone), [zone])
  const when = range.kind === 'last' ? presetLabel(range.last) : formatWindow(range.from_ms, range.to_ms, zone)
  const filters = (
    <div className="filters flex wrap gap-8">
      <NameFilter
        noun={alertsCopy.ruleOrObject}
        value={search}
        onChange={(text) => setSearch(text, { replace: true })}
      />
      <NativeSelect
        aria-label={alertsCopy.filterBySeverity}
        data={[{ value: '', label: alertsCopy.anySeverity }, ...SEVERITIES]}
        value={severity ?? ''}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    </div>
  )
  return (
    <Card title={alertsCopy.history} hint={when} actions={filters} flush>
      <DataState
        query={query}
        skeleton={<RowsSkeleton columns={columns} rows={4} rowPx={PAST_ROW_PX} />}
        empty={(page) =>
          page.total > 0
            ? null
            : search === '' && severity === null
              ? { title: alertsCopy.noHistory, text: alertsCopy.noHistoryText }
              : { title: alertsCopy.noMatch, text: alertsCopy.noMatchText }
        }
      >
        {(page) => (
          <VirtualTable<AlertOut>
            label={alertsCopy.historyTable}
            columns={columns}
            count={page.total}
            rowAt={rowAt}
            onWindow={onWindow}
            rowPx={PAST_ROW_PX}
            rowKey={(alert) => String(alert.id)}
          />
        )}
      </DataState>
    </Card>
  )
}
