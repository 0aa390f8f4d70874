/** The state behind the source form: values, problems of the form and of the server, test and save. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { addSource, changeSource, testSource } from '../../api/commands'
import { sourcesQuery } from '../../api/queries'
import type { SourceKind, SourceOut } from '../../api/types'
import { ownProblems, serverProblems, settingProblemsOf } from '../../components/form/problems'
import { fieldsOf, initialValues, problemsOf, settingsOf, type Values } from '../../components/form/schema'
import { missingKinds } from '../../components/missingKinds'

/** What is there already is rarely what is added next. */
const firstKind = (kinds: readonly SourceKind[], sources: readonly SourceOut[] = []) =>
  (missingKinds(kinds, sources)[0] ?? kinds[0])?.kind ?? ''

export function useSourceForm(kinds: readonly SourceKind[], source: SourceOut | null, onDone: () => void) {
  const client = useQueryClient()
  const [kind, chooseKind] = useState(
    () => source?.kind ?? firstKind(kinds, client.getQueryData(sourcesQuery().queryKey)),
  )
  const fields = useMemo(() => fieldsOf(kinds.find((one) => one.kind === kind)?.settings_schema ?? {}), [kinds, kind])
  const [name, setName] = useState(source?.name ?? '')
  const [enabled, setEnabled] = useState(source?.enabled ?? true)
  const [values, enter] = useState<Values>(() => initialValues(fields, source?.settings))
  const [wasSubmitted, setSubmitted] = useState(false)
  const secretsSet = useMemo(() => new Set(source?.secrets_set), [source])

  const save = useMutation<unknown>({
    mutationFn: () => {
      const settings = settingsOf(fields, values)
      return source === null
        ? addSource({ kind, name, settings, enabled })
        : changeSource(source.id, { name, settings, enabled })
    },
    onSuccess: async () => {
      await client.invalidateQueries()
      onDone()
    },
  })
  const test = useMutation({
    mutationFn: () => testSource({ kind, settings: settingsOf(fields, values), source_id: source?.id ?? null }),
  })

  const own = useMemo(
    () => ownProblems(name, problemsOf(fields, values, secretsSet)),
    [name, fields, values, secretsSet],
  )
  const problems = useMemo(
    () => new Map([...serverProblems(test.error), ...serverProblems(save.error), ...(wasSubmitted ? own : [])]),
    [test.error, save.error, wasSubmitted, own],
  )

  /** What was tried with other values says nothing of these. */
  function setValues(next: Values) {
    enter(next)
    test.reset()
  }

  function setKind(next: string) {
    chooseKind(next)
    setValues(initialValues(fieldsOf(kinds.find((one) => one.kind === next)?.settings_schema ?? {})))
    setSubmitted(false)
    save.reset()
  }

  function whenSound(action: () => void, ignored: string | null = null) {
    setSubmitted(true)
    if ([...own.keys()].every((field) => field === ignored)) action()
  }

  return {
    kind,
    setKind,
    fields,
    name,
    setName,
    enabled,
    setEnabled,
    values,
    setValues,
    secretsSet,
    problems,
    settingProblems: useMemo(() => settingProblemsOf(problems), [problems]),
    save,
    test,
    submit: () => whenSound(() => save.mutate()),
    // A test needs no name yet.
    runTest: () => whenSound(() => test.mutate(), 'name'),
  }
}
