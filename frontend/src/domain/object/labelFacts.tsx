/** What people know an object by: its owner, and its labels under their names. */

import type { OverviewRow, VmRow } from '../../api/types'
import * as labelsCopy from '../../copy/labels'
import { Name } from '../../kit/text/Name'
import type { Fact } from './ObjectPage'
import { ownerWords } from './owner'

type Label = VmRow['labels'][number]

/** Beside the facts of the object itself; further values of a name are counted. */
const MOST_VALUES = 3

export function labelFacts(owner: OverviewRow['owner'], labels: readonly Label[]): Fact[] {
  const byName = new Map<string, string[]>()
  for (const { name, value } of labels) byName.set(name, [...(byName.get(name) ?? []), value])
  return [
    ...(owner === null ? [] : [{ term: labelsCopy.owner, value: <Name focusable>{ownerWords(owner)}</Name> }]),
    ...[...byName]
      .filter(([name, values]) => name !== labelsCopy.owner && !(values.length === 1 && values[0] === owner?.name))
      .map(([name, values]) => ({
        term: name,
        value: <Name focusable>{valueWords(values)}</Name>,
      })),
  ]
}

const valueWords = (values: readonly string[]) =>
  values.length <= MOST_VALUES
    ? values.join(', ')
    : labelsCopy.moreValues(values.slice(0, MOST_VALUES).join(', '), values.length - MOST_VALUES)
