/** Rules that cannot be evaluated yet, with the objects and what is missing; nothing where every rule has what it needs. */

import { useQuery } from '@tanstack/react-query'
import { findingRulesQuery } from '../../api/findings'
import type { FindingRule, Ref } from '../../api/types'
import * as findingsCopy from '../../copy/findings'
import { EntityLink } from '../../domain/object/EntityLink'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import { formatCount } from '../../lib/units'

const MOST_OBJECTS = 5

interface Unevaluated {
  title: string
  reason: string
  objects: readonly Ref[]
}

/** Objects of a rule that lack the same are one line. */
function unevaluatedRules(rules: readonly FindingRule[]): Unevaluated[] {
  return rules.flatMap(({ title, unevaluated }) =>
    [...new Set(unevaluated.map(({ reason }) => reason))].map((reason) => ({
      title,
      reason,
      objects: unevaluated.flatMap((one) => (one.reason === reason && one.object !== null ? [one.object] : [])),
    })),
  )
}

export function UnevaluatedCard() {
  const query = useQuery(findingRulesQuery())
  const hasFailed = query.data === undefined && query.errorUpdateCount > 0
  if (!hasFailed && unevaluatedRules(query.data ?? []).length === 0) return null
  return (
    <Card title={findingsCopy.unevaluated} hint={findingsCopy.unevaluatedHint}>
      <DataState query={query} skeleton={null}>
        {(rules) => <UnevaluatedList waiting={unevaluatedRules(rules)} />}
      </DataState>
    </Card>
  )
}

function UnevaluatedList({ waiting }: { waiting: readonly Unevaluated[] }) {
  return (
    <ul className="list stack breaks gap-4">
      {waiting.map(({ title, reason, objects }) => (
        <li key={`${title} ${reason}`} className="flex wrap baseline gap-words narrow">
          <span className="semibold">{title}</span>
          {objects.slice(0, MOST_OBJECTS).map((object) => (
            <EntityLink key={`${object.kind}-${object.id}`} to={object} />
          ))}
          {objects.length > MOST_OBJECTS && (
            <span className="muted">{findingsCopy.concerns(formatCount(objects.length - MOST_OBJECTS))}</span>
          )}
          <span className="muted">{reason}</span>
        </li>
      ))}
    </ul>
  )
}
