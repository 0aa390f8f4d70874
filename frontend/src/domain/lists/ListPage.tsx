/** A list of objects of one kind: filter, source, sorting and position in the URL, rows read as they come into sight. */

import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type EntityKind, type EntityTypes, listQuery, type ListPage as Rows, sourcesQuery } from '../../api/queries'
import type { Sides } from '../../api/types'
import { niceMax } from '../../charts/panels'
import * as listsCopy from '../../copy/lists'
import { DataAge } from '../../kit/state/DataAge'
import { DataState, type EmptyText } from '../../kit/state/DataState'
import type { Column } from '../../kit/table/Column'
import { ColumnChooser } from '../../kit/table/ColumnChooser'
import { NameFilter } from '../../kit/table/NameFilter'
import { SaveTable } from '../../kit/table/SaveTable'
import { useColumnChoice } from '../../kit/table/useColumnChoice'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { formatMoment } from '../../lib/time'
import { useParameter } from '../../lib/url'
import { KIND } from '../kinds'
import { FILTER, LIST_SORT, SOURCE } from '../parameters'
import styles from './ListPage.module.css'
import { SidesKey } from './SidesBar'
import { mostUs, newestAt } from './sides'
import { useServerRows } from './useServerRows'

interface ListPageProps<Kind extends EntityKind> {
  kind: Kind
  columns: (max_us: number) => Column<EntityTypes[Kind]['row']>[]
}

export function ListPage<Kind extends EntityKind>({ kind, columns }: ListPageProps<Kind>) {
  const { titles: title, noun, empty } = KIND[kind]
  type Row = EntityTypes[Kind]['row']
  const [search, setSearch] = useParameter(FILTER)
  const [sort, setSort] = useParameter(LIST_SORT)
  const [source, setSource] = useParameter(SOURCE)
  const params = useMemo(
    () => ({ search, sort, source: source === '' ? null : Number(source) }),
    [search, sort, source],
  )
  const { query, rowAt, onWindow, loaded, readAll } = useServerRows<Row, Rows<Row>>(
    (offset) => listQuery(kind, params, offset) as never,
  )

  const newest = [...loaded.values()].map((row: Row) => row.newest)
  const max_us = largest(newest)
  const all = useMemo(() => columns(max_us), [columns, max_us])
  const choice = useColumnChoice(kind, all)
  const at_ms = newestAt(newest)
  const total = query.data?.total
  // A query without data forgets its error with every try.
  const hasFailed = query.data === undefined && query.errorUpdateCount > 0
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>{title}</h1>
        {total !== undefined && (
          <span className={styles.count}>
            {total.toLocaleString('en-US')} {search === '' ? '' : listsCopy.matching(search)}
          </span>
        )}
        {newest.length > 0 && <DataAge at_ms={at_ms} />}
        {total === undefined && !hasFailed && <span className={styles.count}>{listsCopy.loading(noun)}</span>}
        <div className={styles.filters}>
          <NameFilter
            className={styles.filter}
            noun={noun}
            value={search}
            onChange={(text) => setSearch(text, { replace: true })}
          />
          <SourceFilter value={source} onChange={setSource} />
          <ColumnChooser choice={choice} />
          <SaveTable
            title={listsCopy.csvTitle(title, at_ms === null ? '' : formatMoment(at_ms, 'utc'))}
            columns={choice.table.columns}
            readAll={readAll}
          />
        </div>
        {!hasFailed && total !== 0 && <SidesKey className={styles.key} />}
      </header>
      <div className={styles.table}>
        <DataState
          query={query}
          whole
          skeleton={<VirtualTable<Row> label={title} {...choice.table} count={READING_ROWS} rowAt={nothing} fill />}
          empty={(page) =>
            page.total > 0
              ? null
              : search === '' && source === ''
                ? { ...empty, action: TO_SOURCES }
                : nothingLike(search, noun)
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

/** Scale of the bars: a round number over the largest latency in sight, so that it rarely moves. */
function largest(newest: readonly Sides[]): number {
  return niceMax(Math.max(0, ...newest.map(mostUs)))
}

function nothingLike(search: string, noun: string): EmptyText {
  return {
    title: listsCopy.noMatch(noun),
    text: search === '' ? listsCopy.sourceEmpty : listsCopy.nothingLike(search),
  }
}

/** While a list is read, its columns stand already, over as many empty rows as a screen shows. */
const READING_ROWS = 14
const nothing = () => undefined

function SourceFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { data = [] } = useQuery(sourcesQuery())
  const choices = data.map((source) => ({ value: String(source.id), label: source.name }))
  return (
    <NativeSelect
      className={styles.filter}
      aria-label={listsCopy.bySource}
      data={[{ value: '', label: listsCopy.allSources }, ...choices]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
