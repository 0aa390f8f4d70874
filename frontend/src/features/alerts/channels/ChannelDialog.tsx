/** Adds or changes a channel: a form made from the API's schema, what goes there, and a test message. */

import { Button, Group, NativeSelect, Skeleton, Stack, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { channelKindsQuery } from '../../../api/alerts'
import type { ChannelKind, ChannelOut } from '../../../api/types'
import * as alertsCopy from '../../../copy/alerts'
import * as channelsCopy from '../../../copy/channels'
import * as commonCopy from '../../../copy/common'
import { SEVERITIES } from '../../../domain/alerts/words'
import { FormDialog } from '../../../kit/form/FormDialog'
import { SchemaForm } from '../../../kit/form/SchemaForm'
import { useProblemFocus } from '../../../kit/form/useProblemFocus'
import { DataState } from '../../../kit/state/DataState'
import { Failure } from '../../../kit/state/Failure'
import { visibleName } from '../../../lib/text'
import { MatchersInput } from '../silences/MatchersInput'
import { SECRET_FORMAT, SecretMaker } from './SecretMaker'
import { TrialResult } from './TrialResult'
import { useChannelForm } from './useChannelForm'
import { severitiesWords } from './words'

interface ChannelDialogProps {
  channel: ChannelOut | null
  /** The other channels, one of which may be told when this one cannot deliver. */
  others: readonly ChannelOut[]
  onClose: () => void
}

export function ChannelDialog({ channel, others, onClose }: ChannelDialogProps) {
  const kinds = useQuery(channelKindsQuery())
  const title = channel === null ? channelsCopy.add : commonCopy.editNamed(visibleName(channel.name))
  return (
    <FormDialog title={title} size="lg" onClose={onClose}>
      <DataState query={kinds} skeleton={<Skeleton height={420} />}>
        {(known) => <ChannelForm kinds={known} channel={channel} others={others} onClose={onClose} />}
      </DataState>
    </FormDialog>
  )
}

function ChannelForm({ kinds, channel, others, onClose }: ChannelDialogProps & { kinds: readonly ChannelKind[] }) {
  const form = useChannelForm(kinds, channel, onClose)
  const { save, test, route } = form

  const element = useProblemFocus(form.refusals + save.failureCount + test.failureCount)

  function submit(event: FormEvent) {
    event.preventDefault()
    form.submit()
  }

  return (
    <form ref={element} onSubmit={submit} noValidate>
      <Stack gap="md">
        {channel === null && (
          <NativeSelect
            label={commonCopy.type}
            data={kinds.map(({ kind, title }) => ({ value: kind, label: title }))}
            value={form.kind}
            onChange={(event) => form.setKind(event.currentTarget.value)}
          />
        )}
        <TextInput
          label={commonCopy.name}
          description={channelsCopy.displayName}
          withAsterisk
          maxLength={200}
          value={form.name}
          error={form.problems.get('name')}
          onChange={(event) => form.setName(event.currentTarget.value)}
          data-autofocus
        />
        <SchemaForm
          fields={form.fields}
          values={form.values}
          onChange={form.setValues}
          problems={form.settingProblems}
          secretsSet={form.secretsSet}
          above={({ name, format }) =>
            format === SECRET_FORMAT && (
              <SecretMaker
                secrets={(form.values[name] as string[] | undefined) ?? []}
                onChange={(secrets) => form.setValues({ ...form.values, [name]: secrets })}
              />
            )
          }
        />
        <h3 className="title">{channelsCopy.routing}</h3>
        <NativeSelect
          label={alertsCopy.severity}
          data={[...SEVERITIES].reverse().map((severity) => ({ value: severity, label: severitiesWords(severity) }))}
          value={route.min_severity}
          onChange={(event) => {
            const chosen = SEVERITIES.find((one) => one === event.currentTarget.value) ?? 'info'
            form.setRoute({ ...route, min_severity: chosen })
          }}
        />
        <MatchersInput
          matchers={route.matchers}
          onChange={(matchers) => form.setRoute({ ...route, matchers })}
          none={channelsCopy.anyAlert}
        />
        <NativeSelect
          label={channelsCopy.fallback}
          data={[
            { value: '', label: commonCopy.none },
            ...others.map(({ id, name }) => ({ value: String(id), label: visibleName(name) })),
          ]}
          value={form.secondId === null ? '' : String(form.secondId)}
          onChange={({ currentTarget: { value } }) => form.setSecondId(value === '' ? null : Number(value))}
        />
        <Switch
          label={channelsCopy.sendOnChannel}
          checked={form.enabled}
          onChange={(event) => form.setEnabled(event.currentTarget.checked)}
        />
        {test.data && <TrialResult trial={test.data} />}
        <Failure title={channelsCopy.testFailed} error={test.error} />
        <Failure title={commonCopy.notSaved} error={save.error} />
        <Group justify="flex-end">
          <Button variant="default" loading={test.isPending} onClick={form.runTest}>
            {channelsCopy.sendTest}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {channel === null ? commonCopy.add : commonCopy.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
