/** VMs by the value of a label: which application, team or tier has an excess, and its worst VM. */

import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { groupsQuery } from '../../api/groups'
import { labelsQuery } from '../../api/labels'
import type { GroupsPage as Groups, ObjectGroup } from '../../api/types'
import { niceMax } from '../../charts/panels'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as groupsCopy from '../../copy/groups'
import * as listsCopy from '../../copy/lists'
import * as navigationCopy from '../../copy/navigation'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { useDiagnosisWindow } from '../../domain/diagnosis/useDiagnosisWindow'
import { useServerRows } from '../../domain/lists/useServerRows'
import { FILTER, GROUP_LABEL, RANKING_SORT } from '../../domain/parameters'
import { DataAge } from '../../kit/state/DataAge'
import { DataState, type EmptyText } from '../../kit/state/DataState'
import { ColumnChooser } from '../../kit/table/ColumnChooser'
import { NameFilter } from '../../kit/table/NameFilter'
import { SaveTable } from '../../kit/table/SaveTable'
import { useColumnChoice } from '../../kit/table/useColumnChoice'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { plural } from '../../lib/text'
import { formatWindow, instantMs } from '../../lib/time'
import { formatCount } from '../../lib/units'
import { useParameter } from '../../lib/url'
import { groupColumns, insideOf } from './groupColumns'

const ROW_PX = 54

export default function GroupsPage() {
  const window = useDiagnosisWindow()
  const [label] = useParameter(GROUP_LABEL)
  const [search, setSearch] = useParameter(FILTER)
  const [sort, setSort] = useParameter(RANKING_SORT)
  const params = useMemo(() => ({ label, search, sort, window }), [label, search, sort, window])
  const { query, rowAt, onWindow, loaded, readAll } = useServerRows<ObjectGroup, Groups>(
    (offset) => groupsQuery(params, offset) as never,
  )
  const shown = query.data?.label ?? label
  const max_ios = niceMax(Math.max(0, ...[...loaded.values()].map(insideOf)))
  const all = useMemo(() => groupColumns(shown, max_ios), [shown, max_ios])
  const choice = useColumnChoice('groups', all)
  return (
    <div className="column grow gap-16">
      <header className="row wrap gap-wrap">
        <h1 className="page-title">{navigationCopy.groups}</h1>
        {query.data && (
          <>
            <span className="muted" role="status">
              {plural(query.data.total, groupsCopy.noun)}
            </span>
            <DataAge
              at_ms={instantMs(query.data.ledger_until_at)}
              ageText={diagnosisCopy.analyzedThrough}
              never={diagnosisCopy.notAnalyzed}
            />
          </>
        )}
        <div className="filters row wrap push gap-8">
          <LabelSelect shown={shown} />
          <NameFilter noun={groupsCopy.noun} value={search} onChange={(text) => setSearch(text, { replace: true })} />
          <ColumnChooser choice={choice} />
          <SaveTable
            title={listsCopy.csvTitle(groupsCopy.table(shown), windowWords(query.data))}
            columns={choice.table.columns}
            readAll={readAll}
          />
        </div>
      </header>
      <section className="surface column grow" aria-label={groupsCopy.table(shown)}>
        <DataState query={query} skeleton={<CardSkeleton height={480} />} empty={(page) => emptyText(page, search)}>
          {(page) => (
            <VirtualTable
              label={groupsCopy.table(shown)}
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
      </section>
    </div>
  )
}

const windowWords = (page: Groups | undefined) =>
  page === undefined ? '' : formatWindow(Date.parse(page.from_at), Date.parse(page.to_at), 'utc')

/** A label that no VM has makes one group, of all of them. */
function emptyText({ items, total, label }: Groups, search: string): EmptyText | null {
  if (total === 1 && items[0]?.value === null)
    return { title: groupsCopy.noGroups(label), text: groupsCopy.noLabelsText }
  if (total > 0) return null
  if (search !== '') return { title: groupsCopy.noMatch, text: listsCopy.nothingLike(search) }
  return { title: groupsCopy.noLabels, text: groupsCopy.noLabelsText }
}

/** By which label; the address keeps one that nothing has any more. */
function LabelSelect({ shown }: { shown: string }) {
  const [, setLabel] = useParameter(GROUP_LABEL)
  const labels = useQuery(labelsQuery())
  const known = (labels.data ?? []).map(({ name, values }) => ({
    value: name,
    label: groupsCopy.labelChoice(name, formatCount(values)),
  }))
  const isKnown = known.some(({ value }) => value === shown)
  return (
    <NativeSelect
      aria-label={groupsCopy.groupBy}
      data={isKnown || shown === '' ? known : [{ value: shown, label: shown }, ...known]}
      value={shown}
      onChange={(event) => setLabel(event.currentTarget.value)}
    />
  )
}
