import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { acceptFinding } from '../../api/findings'
import type { FindingDetail } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import * as findingsCopy from '../../copy/findings'
import { useMyName } from '../../domain/access/useMyName'
import { FormDialog } from '../../kit/form/FormDialog'
import { Failure } from '../../kit/state/Failure'
import { serverNow } from '../../lib/clock'
import { usePreferences } from '../../lib/preferences'
import { visibleName } from '../../lib/text'
import { formatInstant } from '../../lib/time'

const DAY_MS = 86_400_000
const LENGTHS = [
  { value: '7', label: findingsCopy.oneWeek },
  { value: '30', label: findingsCopy.oneMonth },
  { value: '90', label: findingsCopy.quarter },
  { value: '', label: findingsCopy.noEnd },
]

/** Says who accepts a finding, why, and until when. */
export function AcceptDialog({ finding, onClose }: { finding: FindingDetail; onClose: () => void }) {
  const { zone } = usePreferences()
  const client = useQueryClient()
  const [by, setBy] = useMyName()
  const [why, setWhy] = useState('')
  const [days, setDays] = useState('30')
  const [wasSubmitted, setSubmitted] = useState(false)
  const until_ms = days === '' ? null : serverNow() + Number(days) * DAY_MS
  const command = useMutation({
    mutationFn: () =>
      acceptFinding(finding.id, {
        by: by.trim(),
        why: why.trim(),
        until: until_ms === null ? null : new Date(until_ms).toISOString(),
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['findings'] })
      onClose()
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    setSubmitted(true)
    if (by.trim() !== '' && why.trim() !== '') command.mutate()
  }

  return (
    <FormDialog title={findingsCopy.acceptTitle} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <p>
            <strong>{visibleName(finding.title)}</strong>
          </p>
          <p className="muted">{findingsCopy.acceptText}</p>
          <Textarea
            label={findingsCopy.why}
            withAsterisk
            maxLength={2000}
            value={why}
            onChange={(event) => setWhy(event.currentTarget.value)}
            error={wasSubmitted && why.trim() === '' ? findingsCopy.whyRequired : undefined}
            autosize
            minRows={2}
            data-autofocus
          />
          <NativeSelect
            label={findingsCopy.until}
            data={LENGTHS}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
            description={until_ms === null ? undefined : findingsCopy.untilAt(formatInstant(until_ms, zone))}
          />
          <TextInput
            label={alertsCopy.yourName}
            withAsterisk
            maxLength={200}
            value={by}
            onChange={(event) => setBy(event.currentTarget.value)}
            error={wasSubmitted && by.trim() === '' ? alertsCopy.nameRequired : undefined}
          />
          <Failure title={findingsCopy.acceptFailed} error={command.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={command.isPending}>
              {findingsCopy.accept}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}
