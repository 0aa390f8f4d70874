/** The state behind the channel form: values, problems of the form and of the server, test and save. */

import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { addChannel, changeChannel, tryChannel } from '../../../api/alertCommands'
import type { ChannelKind, ChannelOut } from '../../../api/types'
import { ownProblems, serverProblems, settingProblemsOf } from '../../../kit/form/problems'
import { type Field, fieldsOf, initialValues, problemsOf, settingsOf, type Values } from '../../../kit/form/schema'
import { useAlertCommand } from '../useAlertCommand'

// Every kind has them, hardly anybody needs them.
const LAST = new Set(['ca_pem', 'fingerprint_sha256'])

/** The fields of a kind, trust in private certificates last. */
function fieldsOfKind(kinds: readonly ChannelKind[], kind: string): Field[] {
  const fields = fieldsOf(kinds.find((one) => one.kind === kind)?.settings_schema ?? {})
  return [...fields.filter(({ name }) => !LAST.has(name)), ...fields.filter(({ name }) => LAST.has(name))]
}

const EVERYTHING: ChannelOut['route'] = { min_severity: 'info', matchers: [] }

export function useChannelForm(kinds: readonly ChannelKind[], channel: ChannelOut | null, onDone: () => void) {
  const [kind, chooseKind] = useState(channel?.kind ?? kinds[0]?.kind ?? '')
  const fields = useMemo(() => fieldsOfKind(kinds, kind), [kinds, kind])
  const [name, setName] = useState(channel?.name ?? '')
  const [enabled, setEnabled] = useState(channel?.enabled ?? true)
  const [route, setRoute] = useState(channel?.route ?? EVERYTHING)
  const [secondId, setSecondId] = useState(channel?.second_id ?? null)
  const [values, setValues] = useState<Values>(() => initialValues(fields, channel?.settings))
  const [refusals, setRefusals] = useState(0)
  const secretsSet = useMemo(() => new Set(channel?.secrets_set), [channel])

  const save = useAlertCommand<void, unknown>(() => {
    const settings = settingsOf(fields, values)
    return channel === null
      ? addChannel({ kind, name, settings, enabled, route, second_id: secondId })
      : changeChannel(channel.id, { name, settings, enabled, route, second_id: secondId ?? 0 })
  }, onDone)
  const test = useMutation({
    mutationFn: () => tryChannel({ kind, settings: settingsOf(fields, values), channel_id: channel?.id ?? null }),
  })

  const own = useMemo(
    () => ownProblems(name, problemsOf(fields, values, secretsSet)),
    [name, fields, values, secretsSet],
  )
  const problems = useMemo(
    () => new Map([...serverProblems(test.error), ...serverProblems(save.error), ...(refusals > 0 ? own : [])]),
    [test.error, save.error, refusals, own],
  )
  const settingProblems = useMemo(() => settingProblemsOf(problems), [problems])

  function setKind(next: string) {
    chooseKind(next)
    setValues(initialValues(fieldsOfKind(kinds, next)))
    setRefusals(0)
    test.reset()
    save.reset()
  }

  function whenSound(action: () => void, ignored: string | null = null) {
    if ([...own.keys()].every((field) => field === ignored)) action()
    else setRefusals((before) => before + 1)
  }

  return {
    kind,
    setKind,
    fields,
    name,
    setName,
    enabled,
    setEnabled,
    route,
    setRoute,
    secondId,
    setSecondId,
    values,
    setValues,
    secretsSet,
    problems,
    refusals,
    settingProblems,
    save,
    test,
    submit: () => whenSound(() => save.mutate()),
    // A test needs no name yet.
    runTest: () => whenSound(() => test.mutate(), 'name'),
  }
}
