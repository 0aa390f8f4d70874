/** What rules report although nothing may hurt yet: by severity, with what to do, and what was accepted. */

import { NativeSelect } from '@mantine/core'
import { useMemo } from 'react'
import { type FindingsParams, findingsFile, findingsQuery } from '../../api/findings'
import type { FindingRow, FindingsPage as Page } from '../../api/types'
import * as findingsCopy from '../../copy/findings'
import * as navigationCopy from '../../copy/navigation'
import { ReadOnlyHint } from '../../domain/access/ReadOnlyHint'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { Evaluated } from '../../domain/findings/Evaluated'
import { FindingsTable } from '../../domain/findings/FindingsTable'
import { STATE_WORDS } from '../../domain/findings/words'
import { useServerRows } from '../../domain/lists/useServerRows'
import {
  FILTER,
  FINDING_RULE,
  FINDING_SEVERITY,
  FINDING_STATE,
  FINDING_STATES,
  FINDINGS_SORT,
  WORST_SEVERITY_FIRST,
} from '../../domain/parameters'
import { SEVERITIES } from '../../domain/severity/severity'
import { Icon } from '../../kit/mark/Icon'
import { DataState, type EmptyText } from '../../kit/state/DataState'
import { NameFilter } from '../../kit/table/NameFilter'
import { formatCount } from '../../lib/units'
import { useParameter } from '../../lib/url'
import styles from './Findings.module.css'
import { UnevaluatedCard } from './UnevaluatedCard'

export default function FindingsPage() {
  const params = useFindingsParams()
  const { query, rowAt, onWindow } = useServerRows<FindingRow, Page>((offset) => findingsQuery(params, offset) as never)
  return (
    <div className="stack gap-12">
      <header className="flex wrap baseline gap-wrap">
        <h1 className="page-title">{navigationCopy.findings}</h1>
        {query.data !== undefined && <Evaluated at={query.data.evaluated_at} />}
        <a className="inline-row tap push quiet gap-6" href={findingsFile(params)} download>
          <Icon name="download" size={14} /> {findingsCopy.csv}
        </a>
      </header>
      <ReadOnlyHint todo={findingsCopy.todo} />
      <section className="surface narrow" aria-label={findingsCopy.table}>
        <Filters page={query.data} />
        {/* Filters stay where they lead to nothing. */}
        <DataState query={query} skeleton={<CardSkeleton height={480} />} empty={(page) => emptyText(page, params)}>
          {(page) => <FindingsTable count={page.total} rowAt={rowAt} onWindow={onWindow} />}
        </DataState>
      </section>
      <UnevaluatedCard />
    </div>
  )
}

function useFindingsParams(): FindingsParams {
  const [search] = useParameter(FILTER)
  const [state] = useParameter(FINDING_STATE)
  const [severity] = useParameter(FINDING_SEVERITY)
  const [rule] = useParameter(FINDING_RULE)
  const [sort] = useParameter(FINDINGS_SORT)
  return useMemo(
    () => ({
      search,
      states: state === '' ? [] : state === 'all' ? FINDING_STATES : [state],
      severity: severity === '' ? null : severity,
      rule,
      sort,
      of: null,
    }),
    [search, state, severity, rule, sort],
  )
}

function emptyText(page: Page, { search, states, severity, rule }: FindingsParams): EmptyText | null {
  if (page.total > 0) return null
  if (page.evaluated_at === null) return { title: findingsCopy.none, text: findingsCopy.notEvaluatedText }
  if (search === '' && states.length === 0 && severity === null && rule === '')
    return { title: findingsCopy.none, text: findingsCopy.noneText }
  return { title: findingsCopy.noMatch, text: findingsCopy.noMatchText }
}

const STATES = [
  { value: '', label: findingsCopy.openAndAccepted },
  ...FINDING_STATES.map((value) => ({ value, label: STATE_WORDS[value] })),
  { value: 'all', label: findingsCopy.allStates },
]
const SEVERITY_CHOICES = [
  { value: '', label: findingsCopy.anySeverity },
  ...WORST_SEVERITY_FIRST.map((value) => ({ value, label: SEVERITIES[value].word })),
]
const SORTS = [
  { value: 'severity', label: findingsCopy.worstFirst },
  { value: 'raised', label: findingsCopy.latestFirst },
  { value: '-raised', label: findingsCopy.oldestFirst },
  { value: 'object', label: findingsCopy.byObject },
  { value: 'rule', label: findingsCopy.byRule },
]

function Filters({ page }: { page: Page | undefined }) {
  const [search, setSearch] = useParameter(FILTER)
  const [state, setState] = useParameter(FINDING_STATE)
  const [severity, setSeverity] = useParameter(FINDING_SEVERITY)
  const [rule, setRule] = useParameter(FINDING_RULE)
  const [sort, setSort] = useParameter(FINDINGS_SORT)
  const rules = (page?.totals.rule ?? []).map(({ rule: value, title, open }) => ({
    value,
    label: findingsCopy.ruleCount(title, formatCount(open)),
  }))
  // What the address names stays chosen where nothing of it is open.
  const known =
    rule === '' || rules.some(({ value }) => value === rule) ? rules : [{ value: rule, label: rule }, ...rules]
  const choices = [
    [findingsCopy.stateFilter, STATES, state, setState],
    [findingsCopy.severityFilter, SEVERITY_CHOICES, severity, setSeverity],
    [findingsCopy.ruleFilter, [{ value: '', label: findingsCopy.anyRule }, ...known], rule, setRule],
    [findingsCopy.sortOrder, SORTS, sort, setSort],
  ] as const
  return (
    <div className="row wrap inset gap-8">
      <Totals page={page} />
      <NameFilter
        noun={findingsCopy.filterNoun}
        value={search}
        onChange={(text) => setSearch(text, { replace: true })}
        className={styles.search}
      />
      {choices.map(([label, data, value, choose]) => (
        <NativeSelect
          key={label}
          aria-label={label}
          data={[...data]}
          value={value}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      ))}
    </div>
  )
}

/** "3 open (1 high, 2 elevated) · 1 accepted · 12 cleared": whatever state, severity and rule are chosen. */
function Totals({ page }: { page: Page | undefined }) {
  if (page === undefined) return <p className={`${styles.totals} flex wrap semibold gap-words`} />
  const { state, severity } = page.totals
  const open = [
    [severity.high, findingsCopy.highWord],
    [severity.elevated, findingsCopy.elevatedWord],
    [severity.normal, findingsCopy.normalWord],
  ] as const
  const severities = open
    .filter(([count]) => count > 0)
    .map(([count, word]) => findingsCopy.stateCount(formatCount(count), word))
  const counts = [
    [state.open, findingsCopy.openWord],
    [state.accepted, findingsCopy.acceptedWord],
    [state.cleared, findingsCopy.clearedWord],
  ] as const
  return (
    <p className={`${styles.totals} flex wrap semibold gap-words numeric`}>
      {counts.map(([count, word], index) => (
        <span key={word}>
          {findingsCopy.stateCount(formatCount(count), word)}
          {index === 0 && severities.length > 0 && <span className="muted regular"> ({severities.join(', ')})</span>}
        </span>
      ))}
    </p>
  )
}
