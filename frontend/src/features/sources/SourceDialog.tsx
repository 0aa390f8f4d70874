/** Adds or changes a source: a form made from the API's schema, a test that names every check, write-only secrets. */

import { Button, Group, NativeSelect, Skeleton, Stack, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { sourceKindsQuery } from '../../api/queries'
import type { SourceKind, SourceOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as sourcesCopy from '../../copy/sources'
import { AtHand } from '../../domain/sources/AtHand'
import { FormDialog } from '../../kit/form/FormDialog'
import { SchemaForm } from '../../kit/form/SchemaForm'
import { useProblemFocus } from '../../kit/form/useProblemFocus'
import { DataState } from '../../kit/state/DataState'
import { Failure } from '../../kit/state/Failure'
import { visibleName } from '../../lib/text'
import { CertificatePin } from './CertificatePin'
import { PreflightList } from './PreflightList'
import styles from './SourcesPage.module.css'
import { TestResult } from './TestResult'
import { PIN_FORMAT, trustedBy } from './trust'
import { useSourceForm } from './useSourceForm'

export function SourceDialog({ source, onClose }: { source: SourceOut | null; onClose: () => void }) {
  const kinds = useQuery(sourceKindsQuery())
  const title = source === null ? commonCopy.addSource : commonCopy.editNamed(visibleName(source.name))
  return (
    <FormDialog title={title} size="lg" onClose={onClose}>
      <DataState query={kinds} skeleton={<Skeleton height={360} />}>
        {(known) => <SourceForm kinds={known} source={source} onClose={onClose} />}
      </DataState>
    </FormDialog>
  )
}

interface SourceFormProps {
  kinds: readonly SourceKind[]
  source: SourceOut | null
  onClose: () => void
}

function SourceForm({ kinds, source, onClose }: SourceFormProps) {
  const form = useSourceForm(kinds, source, onClose)
  const { problems, save, test } = form
  const element = useProblemFocus(form.refusals)

  function submit(event: FormEvent) {
    event.preventDefault()
    form.submit()
  }

  return (
    <form ref={element} onSubmit={submit} noValidate>
      <Stack gap="md">
        {source === null && (
          <NativeSelect
            label={commonCopy.type}
            data={kinds.map(({ kind, title }) => ({ value: kind, label: title }))}
            value={form.kind}
            onChange={(event) => form.setKind(event.currentTarget.value)}
          />
        )}
        {source === null && <AtHand kinds={kinds.filter(({ kind }) => kind === form.kind)} />}
        <TextInput
          label={commonCopy.name}
          description={sourcesCopy.displayName}
          withAsterisk
          maxLength={200}
          value={form.name}
          error={problems.get('name')}
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
            format === PIN_FORMAT && (
              <CertificatePin
                // What another address answered is no answer of this one.
                key={String(form.values.address ?? '')}
                address={String(form.values.address ?? '')}
                pinned={String(form.values[name] ?? '')}
                onPin={form.pin}
              />
            )
          }
        />
        <Switch
          label={sourcesCopy.poll}
          checked={form.enabled}
          onChange={(event) => form.setEnabled(event.currentTarget.checked)}
        />
        {!test.isIdle && (
          <TestResult isRunning={test.isPending}>
            {test.data && (
              <PreflightList
                preflight={test.data}
                pinning={{ trusted: trustedBy(form.fields, form.values), onPin: form.pinAndTest }}
              />
            )}
            <Failure title={sourcesCopy.testNotRun} error={test.error} />
          </TestResult>
        )}
        <Failure title={commonCopy.notSaved} error={save.error} />
        <Group justify="flex-end">
          <span className={`${styles.saves} quiet`}>{savedWords(test.data?.passed)}</span>
          <Button variant="default" loading={test.isPending} onClick={form.runTest}>
            {commonCopy.test}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {`${source === null ? commonCopy.add : commonCopy.save}${test.data?.passed === false ? sourcesCopy.anyway : ''}`}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** By what the newest test of these settings found. */
function savedWords(passed: boolean | undefined): string {
  if (passed === undefined) return sourcesCopy.testSavesNothing
  return passed ? sourcesCopy.passedNotSaved : sourcesCopy.notSavedYet
}
