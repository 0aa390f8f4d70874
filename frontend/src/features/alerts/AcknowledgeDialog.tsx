import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { acknowledge } from '../../api/alertCommands'
import type { AlertOut } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import { useMyName } from '../../domain/access/useMyName'
import { FormDialog } from '../../kit/form/FormDialog'
import { Failure } from '../../kit/state/Failure'
import { Name } from '../../kit/text/Name'
import { useAlertCommand } from './useAlertCommand'

/** Says who looks after an alert: nothing more is sent about it until it is over. */
export function AcknowledgeDialog({ alert, onClose }: { alert: AlertOut; onClose: () => void }) {
  const [by, setBy] = useMyName()
  const [note, setNote] = useState('')
  const [wasSubmitted, setSubmitted] = useState(false)
  const command = useAlertCommand(() => acknowledge(alert.id, { by: by.trim(), note: note.trim() }), onClose)

  function submit(event: FormEvent) {
    event.preventDefault()
    setSubmitted(true)
    if (by.trim() !== '') command.mutate()
  }

  return (
    <FormDialog title={alertsCopy.acknowledgeTitle} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <p>
            <strong>{alert.rule_name}</strong> {alertsCopy.on} <Name whole>{alert.subject.name}</Name>
            {alertsCopy.acknowledgeText}
          </p>
          <TextInput
            label={alertsCopy.yourName}
            description={alertsCopy.yourNameHint}
            withAsterisk
            maxLength={200}
            value={by}
            onChange={(event) => setBy(event.currentTarget.value)}
            error={wasSubmitted && by.trim() === '' ? alertsCopy.nameRequired : undefined}
            data-autofocus
          />
          <Textarea
            label={alertsCopy.note}
            description={alertsCopy.noteHint}
            maxLength={1000}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            autosize
            minRows={2}
          />
          <Failure title={alertsCopy.acknowledgeFailed} error={command.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={command.isPending}>
              {alertsCopy.acknowledge}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}
