/** Who loses most: one kind of thing at a time, ranked by the server, read as it comes into sight. */

import { type ReactNode, useMemo } from 'react'
import { overviewQuery, type RankingParams } from '../../api/diagnoses'
import type { EntityKind } from '../../api/queries'
import type { Overview, OverviewRow } from '../../api/types'
import { niceMax } from '../../charts/panels'
import * as listsCopy from '../../copy/lists'
import * as overviewCopy from '../../copy/overview'
import { useAlertsAt } from '../../domain/alerts/useAlertsAt'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { ActiveFilters, ClearFilters, FilterBar } from '../../domain/filters/FilterBar'
import { KIND, KINDS } from '../../domain/kinds'
import { standingColumns } from '../../domain/lists/standingColumns'
import { useServerRows } from '../../domain/lists/useServerRows'
import { useCursorMinute } from '../../kit/chart/useCursorTime'
import { Segments } from '../../kit/form/Segments'
import { Later } from '../../kit/schedule/Later'
import { DataState, type EmptyText } from '../../kit/state/DataState'
import { ColumnChooser } from '../../kit/table/ColumnChooser'
import { SaveTable } from '../../kit/table/SaveTable'
import { useColumnChoice } from '../../kit/table/useColumnChoice'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { AtOnce } from '../../lib/search'
import { formatClock, formatWindow } from '../../lib/time'
import styles from './Overview.module.css'
import type { ShownRanking } from './useRanking'

const ROW_PX = 54
const itself = (row: OverviewRow) => row

export function RankingCard({ ranking }: { ranking: ShownRanking }) {
  const { params: wanted, setKind, setSort } = ranking
  const { kind, sort } = wanted
  const minute = useCursorMinute()
  const params = useMemo(() => (minute === null ? wanted : { ...wanted, window: minute }), [wanted, minute])
  const { query, rowAt, onWindow, loaded, readAll } = useServerRows<OverviewRow, Overview>(
    (offset) => overviewQuery(params, offset) as never,
  )
  const { titles: title, noun } = KIND[kind]
  const max_us = niceMax(Math.max(0, ...[...loaded.values()].map((row) => row.total_us ?? 0)))
  const alertsAt = useAlertsAt()
  const all = useMemo(() => standingColumns(KIND[kind].title, itself, { max_us, alertsAt }), [kind, max_us, alertsAt])
  const choice = useColumnChoice('overview', all)
  return (
    <section className={`${styles.ranking} surface column`} aria-label={overviewCopy.byExcess(title)}>
      <AtOnce>
        <Tools kind={kind} onKind={setKind} at_ms={minute?.from_ms ?? null}>
          <ColumnChooser choice={choice} />
          {query.data && (
            <SaveTable
              title={listsCopy.csvTitle(title, windowWords(query.data))}
              columns={choice.table.columns}
              readAll={readAll}
            />
          )}
        </Tools>
        <ActiveFilters className="inset" />
      </AtOnce>
      <DataState query={query} skeleton={<CardSkeleton height={560} />} empty={(page) => emptyText(page, params, noun)}>
        {(page) => (
          <Later>
            <VirtualTable
              label={overviewCopy.byExcess(title)}
              {...choice.table}
              count={page.total}
              rowAt={rowAt}
              sort={sort}
              onSort={setSort}
              onWindow={onWindow}
              rowPx={ROW_PX}
            />
          </Later>
        )}
      </DataState>
    </section>
  )
}

/** In UTC, as in the addresses of windows. */
const windowWords = ({ from_at, to_at }: Overview) => formatWindow(Date.parse(from_at), Date.parse(to_at), 'utc')

interface ToolsProps {
  kind: EntityKind
  onKind: (kind: EntityKind) => void
  /** The minute under the cursor. */
  at_ms: number | null
  children: ReactNode
}

/** What is ranked and how. */
function Tools({ kind, onKind, at_ms, children }: ToolsProps) {
  const { zone } = usePreferences()
  return (
    <div className="row wrap inset gap-wrap">
      <Segments
        label={overviewCopy.objectType}
        options={KINDS.map(({ id, titles }) => ({ value: id, label: titles }))}
        chosen={kind}
        onChoose={onKind}
      />
      {at_ms !== null && <span className="muted numeric">{overviewCopy.atCursor(formatClock(at_ms, zone))}</span>}
      <div className="filters row wrap push gap-8">
        <FilterBar kind={kind} />
        {children}
      </div>
    </div>
  )
}

function emptyText(page: Overview, { filters }: RankingParams, noun: string): EmptyText | null {
  if (page.total > 0) return null
  if (Object.keys(filters).length > 0)
    return { title: listsCopy.noMatch(noun), text: overviewCopy.filtersTooNarrow, action: <ClearFilters /> }
  return {
    title: overviewCopy.noneYet(noun),
    text: overviewCopy.noneYetText,
  }
}
