/** What people know a VM by: its owner, and its labels under their names, each of which is a group of VMs. */

import type { OverviewRow, VmRow } from '../../api/types'
import * as labelsCopy from '../../copy/labels'
import { Name, NameLink } from '../../kit/text/Name'
import { groupSearch } from './group'
import type { Fact } from './ObjectPage'
import { type Owner, ownerWords } from './owner'

type Label = VmRow['labels'][number]

/** Beside the facts of the object itself; further values of a name are counted. */
const MOST_VALUES = 3

export function labelFacts(owner: OverviewRow['owner'], labels: readonly Label[]): Fact[] {
  const byName = new Map<string, string[]>()
  for (const { name, value } of labels) byName.set(name, [...(byName.get(name) ?? []), value])
  return [
    ...(owner === null ? [] : [{ term: labelsCopy.owner, value: <OwnerName owner={owner} labels={labels} /> }]),
    ...[...byName]
      .filter(([name, values]) => name !== labelsCopy.owner && !(values.length === 1 && values[0] === owner?.name))
      .map(([name, values]) => ({
        term: name,
        value: <Values label={name} values={values} />,
      })),
  ]
}

/** It leads to what else its owner has, where the VM has the label that says so itself. */
function OwnerName({ owner, labels }: { owner: Owner; labels: readonly Label[] }) {
  const label = labels.find(({ value }) => value === owner.name)
  if (label === undefined) return <Name focusable>{ownerWords(owner)}</Name>
  return (
    <NameLink to="/group" search={groupSearch({ label: label.name, value: label.value })}>
      {ownerWords(owner)}
    </NameLink>
  )
}

/** Each value leads to the group of VMs that have it. */
function Values({ label, values }: { label: string; values: readonly string[] }) {
  const more = values.length - MOST_VALUES
  return (
    <span className="row wrap narrow gap-8">
      {values.slice(0, MOST_VALUES).map((value) => (
        <NameLink key={value} to="/group" search={groupSearch({ label, value })}>
          {value}
        </NameLink>
      ))}
      {more > 0 && <span className="muted">{labelsCopy.more(more)}</span>}
    </span>
  )
}
