/** The state behind the source form: values, problems of the form and of the server, test and save. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { addSource, changeSource, testSource } from '../../api/commands'
import { sourcesQuery } from '../../api/queries'
import type { SourceKind, SourceOut } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { missingKinds } from '../../domain/sources/missingKinds'
import { ownProblems, serverProblems, settingProblemsOf } from '../../kit/form/problems'
import { type Field, fieldsOf, initialValues, problemsOf, settingsOf, type Values } from '../../kit/form/schema'
import { isElsewhere, withPin } from './trust'

/** What is there already is rarely what is added next. */
const firstKind = (kinds: readonly SourceKind[], sources: readonly SourceOut[] = []) =>
  (missingKinds(kinds, sources)[0] ?? kinds[0])?.kind ?? ''

/** The stored secrets that may be left out: none where they would go to another place than they were entered for. */
const secretsKept = (source: SourceOut | null, fields: readonly Field[], values: Values): ReadonlySet<string> =>
  new Set(source === null || isElsewhere(fields, values, source.settings) ? [] : source.secrets_set)

function problemsOfSource(source: SourceOut | null, fields: readonly Field[], values: Values): Map<string, string> {
  const problems = problemsOf(fields, values, secretsKept(source, fields, values))
  for (const { name, title } of fields)
    if (source?.secrets_set.includes(name) && values[name] === '' && problems.has(name))
      problems.set(name, sourcesCopy.enterAgain(title))
  return problems
}

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
  const [refusals, setRefusals] = useState(0)

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
    mutationFn: (tried: Values) =>
      testSource({ kind, settings: settingsOf(fields, tried), source_id: source?.id ?? null }),
  })

  const secretsSet = useMemo(() => secretsKept(source, fields, values), [source, fields, values])
  const problemsIn = useCallback(
    (tried: Values) => ownProblems(name, problemsOfSource(source, fields, tried)),
    [name, source, fields],
  )
  const own = useMemo(() => problemsIn(values), [problemsIn, values])
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

  function whenSound(found: ReadonlyMap<string, string>, action: () => void, ignored: string | null = null) {
    setSubmitted(true)
    if ([...found.keys()].every((field) => field === ignored)) action()
    else setRefusals((count) => count + 1)
  }

  // A test needs no name yet.
  function runTest(tried: Values, found: ReadonlyMap<string, string>) {
    whenSound(found, () => test.mutate(tried), 'name')
  }

  const pinned = (sha256: string) => withPin(fields, values, sha256)

  function pinAndTest(sha256: string) {
    const next = pinned(sha256)
    setValues(next)
    runTest(next, problemsIn(next))
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
    refusals,
    submit: () => whenSound(own, () => save.mutate()),
    runTest: () => runTest(values, own),
    pin: (sha256: string) => setValues(pinned(sha256)),
    pinAndTest,
  }
}
