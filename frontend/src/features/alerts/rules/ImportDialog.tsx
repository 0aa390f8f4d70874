/** Rules from a file: first what it would change, then the change. */

import { Button, Checkbox, FileButton, Group, Stack, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { importRules } from '../../../api/alertCommands'
import * as rulesCopy from '../../../copy/rules'
import { FormDialog } from '../../../kit/form/FormDialog'
import { Failure } from '../../../kit/state/Failure'
import { plural } from '../../../lib/text'
import { useAlertCommand } from '../useAlertCommand'

type Imported = Awaited<ReturnType<typeof importRules>>

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [yaml, setYaml] = useState('')
  const [replace, setReplace] = useState(false)
  const check = useMutation({ mutationFn: () => importRules({ yaml, replace, dry_run: true }) })
  const take = useAlertCommand(() => importRules({ yaml, replace, dry_run: false }), onClose)
  const reading = useMutation({ mutationFn: (file: File) => file.text(), onSuccess: change })

  function change(text: string) {
    setYaml(text)
    check.reset()
    take.reset()
  }

  return (
    <FormDialog title={rulesCopy.importTitle} size="lg" onClose={onClose}>
      <Stack gap="md">
        <p className="muted">{rulesCopy.importText}</p>
        <FileButton accept=".yaml,.yml,application/yaml" onChange={(file) => file !== null && reading.mutate(file)}>
          {(props) => (
            <Button {...props} size="xs" variant="default" w="fit-content">
              {rulesCopy.chooseFile}
            </Button>
          )}
        </FileButton>
        <Textarea
          label={rulesCopy.yaml}
          value={yaml}
          onChange={(event) => change(event.currentTarget.value)}
          autosize
          minRows={6}
          maxRows={16}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--gv-mono)', fontSize: 'var(--gv-size-label)' } }}
        />
        <Checkbox
          label={rulesCopy.removeOthers}
          checked={replace}
          onChange={(event) => {
            setReplace(event.currentTarget.checked)
            check.reset()
          }}
        />
        {check.data && <Changes found={check.data} />}
        <Failure title={rulesCopy.fileFailed} error={reading.error} />
        <Failure title={rulesCopy.checkFailed} error={check.error} />
        <Failure title={rulesCopy.importFailed} error={take.error} />
        <Group justify="flex-end">
          <Button
            variant="default"
            disabled={yaml.trim() === ''}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            {rulesCopy.previewImport}
          </Button>
          <Button disabled={check.data === undefined} loading={take.isPending} onClick={() => take.mutate()}>
            {rulesCopy.importRules}
          </Button>
        </Group>
      </Stack>
    </FormDialog>
  )
}

function Changes({ found }: { found: Imported }) {
  const groups = [
    [rulesCopy.added, found.added],
    [rulesCopy.changed, found.changed],
    [rulesCopy.removed, found.removed],
  ] as const
  return (
    <section aria-label={rulesCopy.changes} role="status" className="note grid above gap-4">
      {groups.map(
        ([word, keys]) =>
          keys.length > 0 && (
            <p key={word} className="breaks">
              <strong>{word}:</strong> {keys.join(', ')}
            </p>
          ),
      )}
      <p className="muted">{plural(found.unchanged.length, rulesCopy.ruleUnchanged, rulesCopy.rulesUnchanged)}.</p>
    </section>
  )
}
