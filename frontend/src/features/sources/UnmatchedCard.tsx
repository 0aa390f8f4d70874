/** What is on one side only: why, and what to do about it. */

import { Button, NativeSelect, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { unmatchedQuery } from '../../api/queries'
import type { Unmatched, UnmatchedRow } from '../../api/types'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as sourcesCopy from '../../copy/sources'
import { EntityLink } from '../../domain/object/EntityLink'
import { FILTER, UNMATCHED, UNMATCHED_KIND } from '../../domain/parameters'
import { Card } from '../../kit/layout/Card'
import { columnWidths } from '../../kit/layout/columns'
import { StateMark } from '../../kit/mark/StateMark'
import { DataState } from '../../kit/state/DataState'
import { NameFilter } from '../../kit/table/NameFilter'
import { Name } from '../../kit/text/Name'
import { capitalized, plural } from '../../lib/text'
import { useParameter } from '../../lib/url'
import styles from './UnmatchedCard.module.css'
import { countOf, emptyText, kindChoices, kindName, kindOf, needsAction, summary, type Which } from './unmatched'

const STEP = 50
/** The most that the API gives at once. */
const MOST = 500

export function UnmatchedCard() {
  const [which, setWhich] = useParameter(UNMATCHED)
  const [kindText, setKind] = useParameter(UNMATCHED_KIND)
  const [search, setSearch] = useParameter(FILTER)
  const [limit, setLimit] = useState(STEP)
  const kind = kindOf(kindText)
  const query = useQuery(unmatchedQuery({ search, kind, needs_action: needsAction(which), limit }))
  const counts = query.data?.counts ?? []
  const showExpected = (
    <Button variant="default" size="xs" onClick={() => setWhich('expected')}>
      {sourcesCopy.showExpected}
    </Button>
  )
  return (
    <Card title={sourcesCopy.unmatched} hint={query.data && summary(counts)} flush>
      <div className="flex wrap inset-below gap-8">
        <NativeSelect
          className={styles.filter}
          aria-label={sourcesCopy.byReview}
          data={WHICH.map(({ value, label }) => ({ value, label: `${label} (${countOf(counts, value)})` }))}
          value={which}
          onChange={(event) => setWhich(event.currentTarget.value)}
        />
        <NativeSelect
          className={styles.filter}
          aria-label={sourcesCopy.byType}
          data={kindChoices(counts, which)}
          value={kind ?? ''}
          onChange={(event) => setKind(event.currentTarget.value)}
        />
        <NameFilter
          className={styles.filter}
          noun={sourcesCopy.unmatchedNoun}
          value={search}
          onChange={(text) => setSearch(text, { replace: true })}
        />
      </div>
      <DataState
        query={query}
        skeleton={<Skeleton height={160} m="md" />}
        empty={(page) => (page.total > 0 ? null : emptyOf(page, which, kind !== null || search !== '', showExpected))}
      >
        {(page) => (
          <>
            <UnmatchedList rows={page.items} />
            <More page={page} onMore={() => setLimit(Math.min(limit + STEP, MOST))} />
          </>
        )}
      </DataState>
    </Card>
  )
}

const WHICH: { value: Which; label: string }[] = [
  { value: 'open', label: sourcesCopy.toReview },
  { value: 'expected', label: sourcesCopy.expected },
  { value: 'all', label: sourcesCopy.all },
]

function emptyOf(page: Unmatched, which: Which, isFiltered: boolean, showExpected: React.ReactNode) {
  const text = emptyText(page.counts, which, isFiltered)
  const hasOthers = which === 'open' && !isFiltered && countOf(page.counts, 'expected') > 0
  return hasOthers ? { ...text, action: showExpected } : text
}

export function UnmatchedList({ rows }: { rows: readonly UnmatchedRow[] }) {
  return (
    <ul className="ruled" aria-label={sourcesCopy.unmatched}>
      {rows.map((row) => (
        <li
          key={`${row.kind}-${row.id}`}
          className="columns inset ruled-below gap-words"
          style={columnWidths('130px minmax(0, 1fr)', 'minmax(0, 1fr)')}
        >
          <StateMark
            tone={row.needs_action ? 'warn' : 'calm'}
            word={row.needs_action ? sourcesCopy.toReviewMark : sourcesCopy.expectedMark}
          />
          <div className="grid narrow breaks gap-2">
            <Whose row={row} />
            <p>{row.reason}</p>
            <p className="muted">{row.remedy}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** "Volume erp-05 · flasharray-1 · esx-01, esx-02". */
function Whose({ row }: { row: UnmatchedRow }) {
  const noun = kindName(row.kind)
  const isItself = row.shown_at.kind === row.kind
  return (
    <div className="flex wrap baseline narrow gap-words">
      <span className="muted">{capitalized(noun)}</span>
      <strong className="inline narrow gap-4">
        {isItself ? <EntityLink to={row.shown_at} /> : <Name focusable>{row.name}</Name>}
      </strong>
      {!isItself && (
        <span className="inline narrow gap-4">
          <span className="muted">{sourcesCopy.at}</span> <EntityLink to={row.shown_at} />
        </span>
      )}
      <span className="inline narrow gap-4">
        <span className="muted">{sourcesCopy.from}</span> <Name focusable>{row.source.name}</Name>
      </span>
      {row.hosts.length > 1 && <Hosts names={row.hosts} />}
    </div>
  )
}

const HOSTS = 3

function Hosts({ names }: { names: readonly string[] }) {
  const more = names.length - HOSTS
  return (
    <span className="inline narrow gap-4">
      <span className="muted">{plural(names.length, diagnosisCopy.host)}:</span>{' '}
      <Name focusable>{`${names.slice(0, HOSTS).join(', ')}${more > 0 ? sourcesCopy.andMore(more) : ''}`}</Name>
    </span>
  )
}

function More({ page, onMore }: { page: Unmatched; onMore: () => void }) {
  const left = page.total - page.items.length
  if (left <= 0) return null
  return (
    <div className="inset">
      {page.items.length < MOST ? (
        <Button variant="default" size="xs" onClick={onMore}>
          {sourcesCopy.showMore(left.toLocaleString('en-US'))}
        </Button>
      ) : (
        <span className="muted">{sourcesCopy.filterToSee(left.toLocaleString('en-US'))}</span>
      )}
    </div>
  )
}
