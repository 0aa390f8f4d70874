/** A list of objects of one kind: filters, sorting and position in the URL, rows read as they come into sight. */

import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { DiagnosisWindow } from '../../api/diagnoses'
import { type EntityKind, type EntityTypes, listQuery, type ListPage as Rows } from '../../api/queries'
import { niceMax } from '../../charts/panels'
import * as listsCopy from '../../copy/lists'
import { DataAge } from '../../kit/state/DataAge'
import { DataState } from '../../kit/state/DataState'
import type { Column } from '../../kit/table/Column'
import { ColumnChooser } from '../../kit/table/ColumnChooser'
import { SaveTable } from '../../kit/table/SaveTable'
import { useColumnChoice } from '../../kit/table/useColumnChoice'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { formatMoment, formatWindow } from '../../lib/time'
import { useParameter } from '../../lib/url'
import { useAlertsAt } from '../alerts/useAlertsAt'
import { useDiagnosisWindow } from '../diagnosis/useDiagnosisWindow'
import { ActiveFilters, ClearFilters, FilterBar } from '../filters/FilterBar'
import { useFilters } from '../filters/useFilters'
import { KIND } from '../kinds'
import { RANKING_SORT } from '../parameters'
import styles from './ListPage.module.css'
import { listColumns } from './listColumns'
import { SidesKey } from './SidesBar'
import { mostUs, newestAt } from './sides'
import { useServerRows } from './useServerRows'

interface ListPageProps<Kind extends EntityKind> {
  kind: Kind
  columns: (max_us: number) => Column<EntityTypes[Kind]['row']>[]
}

export function ListPage<Kind extends EntityKind>({ kind, columns }: ListPageProps<Kind>) {
  const { titles: title, title: single, noun, empty } = KIND[kind]
  type Row = EntityTypes[Kind]['row']
  const { filters, isFiltered } = useFilters()
  const [sort, setSort] = useParameter(RANKING_SORT)
  const window = useDiagnosisWindow()
  const params = useMemo(() => ({ filters, sort, window }), [filters, sort, window])
  const { query, rowAt, onWindow, loaded, readAll } = useServerRows<Row, Rows<Row>>(
    (offset) => listQuery(kind, params, offset) as never,
  )

  const rows: readonly Row[] = [...loaded.values()]
  const newest = rows.map((row) => row.newest)
  const sides_us = largest(newest.map(mostUs))
  const total_us = largest(rows.map(({ standing }) => standing.total_us ?? 0))
  const isLive = window === null
  const alertsAt = useAlertsAt()
  const all = useMemo(
    () => listColumns<Row>(single, columns(sides_us), { max_us: total_us, alertsAt, isLive }),
    [single, columns, sides_us, total_us, alertsAt, isLive],
  )
  const choice = useColumnChoice(kind, all)
  const at_ms = newestAt(newest)
  const total = query.data?.total
  // A query without data forgets its error with every try.
  const hasFailed = query.data === undefined && query.errorUpdateCount > 0
  return (
    <div className={`${styles.page} column grow gap-16`}>
      <header className="row wrap gap-wrap">
        <h1 className="page-title">{title}</h1>
        {total !== undefined && (
          <span className="muted" role="status">
            {isFiltered ? listsCopy.matching(total.toLocaleString('en-US')) : total.toLocaleString('en-US')}
          </span>
        )}
        {isLive && newest.length > 0 && <DataAge at_ms={at_ms} />}
        {total === undefined && !hasFailed && <span className="muted">{listsCopy.loading(noun)}</span>}
        <div className="filters row wrap push gap-8">
          <FilterBar kind={kind} />
          <ColumnChooser choice={choice} />
          <SaveTable
            title={listsCopy.csvTitle(title, savedWindow(window, at_ms))}
            columns={choice.table.columns}
            readAll={readAll}
          />
        </div>
        {choice.ids.includes('bars') && <SidesKey className={styles.key} />}
      </header>
      <ActiveFilters />
      <div className={`${styles.table} surface column grow`}>
        <DataState
          query={query}
          whole
          skeleton={
            <VirtualTable<Row>
              label={title}
              {...choice.table}
              count={READING_ROWS}
              rowAt={nothing}
              rowPx={ROW_PX}
              fill
            />
          }
          empty={(page) =>
            page.total > 0
              ? null
              : isFiltered
                ? { title: listsCopy.noMatch(noun), text: listsCopy.filtersTooNarrow, action: <ClearFilters /> }
                : { ...empty, action: TO_SOURCES }
          }
        >
          {(page) => (
            <VirtualTable<Row>
              label={title}
              {...choice.table}
              count={page.total}
              rowAt={rowAt}
              sort={sort}
              onSort={setSort}
              onWindow={onWindow}
              rowPx={ROW_PX}
              fill
            />
          )}
        </DataState>
      </div>
    </div>
  )
}

const TO_SOURCES = (
  <Button component={Link} to="/sources" variant="default">
    {listsCopy.openSources}
  </Button>
)

/** Scale of bars: a round number over the largest latency in sight, so that it rarely moves. */
const largest = (latencies_us: readonly number[]) => niceMax(Math.max(0, ...latencies_us))

/** For a file's name: the range, or the newest minute. */
function savedWindow(window: DiagnosisWindow, at_ms: number | null): string {
  if (window?.kind === 'last') return window.last
  if (window !== null) return formatWindow(window.from_ms, window.to_ms, 'utc')
  return at_ms === null ? '' : formatMoment(at_ms, 'utc')
}

/** While a list is read, its columns stand already, over as many empty rows as a screen shows. */
const READING_ROWS = 14
/** Severity and confidence stand below each other. */
const ROW_PX = 54
const nothing = () => undefined
