/** The tab Findings of an object: its own, and those that touch it. */

import { useMemo } from 'react'
import { ALL_FINDINGS, findingsQuery } from '../../api/findings'
import type { FindingRow, FindingsPage } from '../../api/types'
import * as findingsCopy from '../../copy/findings'
import { Card } from '../../kit/layout/Card'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { subjectOf } from '../kinds'
import { useServerRows } from '../lists/useServerRows'
import type { SectionContext } from '../sections/section'
import { Evaluated } from './Evaluated'
import { FindingsTable } from './FindingsTable'

export function FindingsSection({ kind, id }: SectionContext) {
  const params = useMemo(() => ({ ...ALL_FINDINGS, of: subjectOf(kind, id) }), [kind, id])
  const { query, rowAt, onWindow } = useServerRows<FindingRow, FindingsPage>(
    (offset) => findingsQuery(params, offset) as never,
  )
  return (
    <DataState query={query} skeleton={<CardSkeleton height={240} />}>
      {(page) => (
        <Card title={findingsCopy.table} hint={<Evaluated at={page.evaluated_at} />} flush>
          {page.total === 0 ? (
            <EmptyState
              title={findingsCopy.none}
              text={page.evaluated_at === null ? findingsCopy.notEvaluatedText : findingsCopy.noneOfObject}
            />
          ) : (
            <FindingsTable count={page.total} rowAt={rowAt} onWindow={onWindow} />
          )}
        </Card>
      )}
    </DataState>
  )
}
