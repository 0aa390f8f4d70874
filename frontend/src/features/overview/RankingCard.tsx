/** Who loses most: one kind of thing at a time, ranked by the server, read as it comes into sight. */

import { NativeSelect } from '@mantine/core'
import { useMemo } from 'react'
import type { Overview, OverviewRow } from '../../api/types'
import { overviewQuery } from '../../api/verdicts'
import { niceMax } from '../../charts/panels'
import { LAYER_IDS, layerWord } from '../../charts/segments'
import { useAlertsAt } from '../../components/alerts/useAlertsAt'
import { useCursorMinute } from '../../components/chart/useCursorTime'
import { DataState, type EmptyText } from '../../components/DataState'
import { NameFilter } from '../../components/NameFilter'
import { useServerRows } from '../../components/table/useServerRows'
import { VirtualTable } from '../../components/table/VirtualTable'
import { certaintyWord } from '../../components/verdict/certainty'
import { CardSkeleton } from '../../components/verdict/Skeletons'
import { usePreferences } from '../../lib/preferences'
import { formatClock } from '../../lib/time'
import styles from './Overview.module.css'
import { rankingColumns } from './rankingColumns'
import { CERTAINTIES, KINDS, type Ranking } from './useRanking'

const ROW_PX = 54
/** Certainty, layer and alert, one below the other. */
const NARROW_ROW_PX = 76

export function RankingCard({ ranking }: { ranking: Ranking }) {
  const { kind, sort, setSort } = ranking
  const { zone } = usePreferences()
  const minute = useCursorMinute()
  const params = useMemo(
    () => (minute === null ? ranking.params : { ...ranking.params, window: minute }),
    [ranking.params, minute],
  )
  const { query, rowAt, onWindow, loaded } = useServerRows<OverviewRow, Overview>(
    (offset) => overviewQuery(params, offset) as never,
  )
  const [, title, noun] = KINDS.find(([one]) => one === kind) ?? KINDS[0]
  const max_us = niceMax(Math.max(0, ...[...loaded.values()].map((row) => row.total_us ?? 0)))
  const alertsAt = useAlertsAt()
  const columns = useMemo(() => rankingColumns(noun, max_us, alertsAt), [noun, max_us, alertsAt])
  return (
    <section className={styles.ranking} aria-label={`${title} by impact`}>
      <div className={styles.tools}>
        <Tabs kind={kind} onChoose={ranking.setKind} />
        {minute !== null && (
          <span className="muted numeric">at {formatClock(minute.from_ms, zone)}, at the cursor</span>
        )}
        {sort === '-impact' && <span className="muted">those that lose time first</span>}
        <div className={styles.filters}>
          <NameFilter
            noun={noun}
            value={ranking.search}
            onChange={(text) => ranking.setSearch(text, { replace: true })}
          />
          <NativeSelect
            aria-label="Only this layer"
            data={[
              { value: '', label: 'Any layer' },
              ...LAYER_IDS.map((value) => ({ value, label: layerWord(value) })),
            ]}
            value={ranking.layer ?? ''}
            onChange={(event) => ranking.setLayer(event.currentTarget.value)}
          />
          <NativeSelect
            aria-label="Only this certainty"
            data={[
              { value: '', label: 'Any verdict' },
              ...CERTAINTIES.map((value) => ({ value, label: certaintyWord(value) })),
            ]}
            value={ranking.certainty ?? ''}
            onChange={(event) => ranking.setCertainty(event.currentTarget.value)}
          />
        </div>
      </div>
      <DataState
        query={query}
        skeleton={<CardSkeleton height={560} />}
        empty={(page) => emptyText(page, ranking, noun)}
      >
        {(page) => (
          <VirtualTable
            label={`${title} by impact`}
            columns={columns}
            count={page.total}
            rowAt={rowAt}
            sort={sort}
            onSort={setSort}
            onWindow={onWindow}
            rowPx={ROW_PX}
            narrowRowPx={NARROW_ROW_PX}
          />
        )}
      </DataState>
    </section>
  )
}

function Tabs({ kind, onChoose }: { kind: string; onChoose: (kind: string) => void }) {
  return (
    <fieldset className={styles.tabs} aria-label="What is ranked">
      {KINDS.map(([one, title]) => (
        <button
          key={one}
          type="button"
          className={styles.tab}
          aria-pressed={one === kind}
          onClick={() => onChoose(one)}
        >
          {title}
        </button>
      ))}
    </fieldset>
  )
}

function emptyText(page: Overview, { search, layer, certainty }: Ranking, noun: string): EmptyText | null {
  if (page.total > 0) return null
  const isFiltered = search !== '' || layer !== null || certainty !== null
  if (isFiltered) return { title: `No ${noun} fits`, text: 'Nothing fits all of these filters. Clear one of them.' }
  return {
    title: `No ${noun} is known yet`,
    text: 'Add arrays and vCenters under Sources; the first verdicts come about two minutes after that.',
  }
}
