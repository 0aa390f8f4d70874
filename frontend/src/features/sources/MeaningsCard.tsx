/** Which tag category or custom attribute means an owner and an application, with what VMs get by it. */

import { Button, Group, NativeSelect, Skeleton, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { labelsQuery, labelValuesQuery, meaningsQuery, setMeanings, vmCountQuery } from '../../api/labels'
import { useSession } from '../../api/session'
import type { LabelMeanings, LabelName } from '../../api/types'
import * as meaningsCopy from '../../copy/meanings'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import { Failure } from '../../kit/state/Failure'
import { plural, visibleName } from '../../lib/text'
import { formatCount } from '../../lib/units'

type Meaning = keyof LabelMeanings

export function MeaningsCard() {
  const labels = useQuery(labelsQuery())
  const meanings = useQuery(meaningsQuery())
  return (
    <Card title={meaningsCopy.title} hint={meaningsCopy.hint}>
      <DataState
        query={labels}
        skeleton={<Skeleton height={120} />}
        empty={(found) => (found.length === 0 ? { title: meaningsCopy.empty, text: meaningsCopy.emptyText } : null)}
      >
        {(found) => (
          <DataState query={meanings} skeleton={<Skeleton height={120} />}>
            {(chosen) => <MeaningsForm labels={found} chosen={chosen} />}
          </DataState>
        )}
      </DataState>
    </Card>
  )
}

export function MeaningsForm({ labels, chosen }: { labels: readonly LabelName[]; chosen: LabelMeanings }) {
  const { isAdmin } = useSession()
  const client = useQueryClient()
  const [draft, setDraft] = useState<Partial<LabelMeanings>>({})
  const wanted = { ...chosen, ...draft }
  const isChanged = wanted.owner !== chosen.owner || wanted.application !== chosen.application
  const command = useMutation({
    mutationFn: () => setMeanings(wanted),
    // Every row of a list and of the overview may have another owner now.
    onSuccess: async () => {
      await client.invalidateQueries()
      setDraft({})
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    command.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Stack gap="md" maw={560}>
          {(['owner', 'application'] as const).map((meaning) => (
            <MeaningField
              key={meaning}
              meaning={meaning}
              labels={labels}
              value={wanted[meaning]}
              isDisabled={!isAdmin}
              onChange={(name) => {
                command.reset()
                setDraft({ ...draft, [meaning]: name })
              }}
            />
          ))}
        </Stack>
        <Failure title={meaningsCopy.saveFailed} error={command.error} />
        <Group gap="sm">
          <Button type="submit" disabled={!isAdmin || !isChanged} loading={command.isPending}>
            {meaningsCopy.save}
          </Button>
          <span className="muted" role="status">
            {command.isSuccess && !isChanged ? meaningsCopy.saved : ''}
            {isAdmin ? '' : meaningsCopy.readOnly}
          </span>
        </Group>
      </Stack>
    </form>
  )
}

interface MeaningFieldProps {
  meaning: Meaning
  labels: readonly LabelName[]
  value: string
  isDisabled: boolean
  onChange: (name: string) => void
}

function MeaningField({ meaning, labels, value, isDisabled, onChange }: MeaningFieldProps) {
  const sameName = labels.find(({ name }) => name.toLowerCase() === value.toLowerCase())
  const known = labels.map(({ name, objects }) => ({
    value: name,
    label: meaningsCopy.choice(visibleName(name), plural(objects, meaningsCopy.objects)),
  }))
  const choices = sameName === undefined ? [{ value, label: meaningsCopy.unused(visibleName(value)) }, ...known] : known
  return (
    <Stack gap={4}>
      <NativeSelect
        label={meaningsCopy.FIELDS[meaning]}
        data={choices}
        value={sameName?.name ?? value}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Preview name={value} />
    </Stack>
  )
}

/** As many values as fit a line or two. */
const SHOWN_VALUES = 4

function Preview({ name }: { name: string }) {
  const all = useQuery(vmCountQuery(null))
  const labeled = useQuery(vmCountQuery(name))
  const values = useQuery(labelValuesQuery(name))
  const error = all.error ?? labeled.error ?? values.error
  if (error !== null) return <p className="muted">{error.message}</p>
  if (all.data === undefined || labeled.data === undefined || values.data === undefined) return <Skeleton height={40} />
  const shown = values.data
    .slice(0, SHOWN_VALUES)
    .map(({ value, objects }) => meaningsCopy.value(visibleName(value), formatCount(objects)))
  return (
    <div className="muted">
      <p>{meaningsCopy.preview(formatCount(labeled.data), formatCount(all.data))}</p>
      <p className="breaks">
        {shown.length === 0
          ? meaningsCopy.noValues
          : meaningsCopy.values(shown.join(', '), values.data.length - shown.length)}
      </p>
    </div>
  )
}
