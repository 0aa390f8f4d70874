/** Rules from a file: first what it would change, then the change. */

import { Button, Checkbox, FileButton, Group, Modal, Stack, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { importRules } from '../../../api/alertCommands'
import { plural } from '../../../lib/text'
import styles from '../Alerts.module.css'
import { Failure } from '../Failure'
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
    <Modal opened onClose={onClose} title="Import rules" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <p className="muted">
          A file as the export writes it. Rules are told apart by their keys; all are taken, or none.
        </p>
        <FileButton accept=".yaml,.yml,application/yaml" onChange={(file) => file !== null && reading.mutate(file)}>
          {(props) => (
            <Button {...props} size="xs" variant="default" w="fit-content">
              Choose a file
            </Button>
          )}
        </FileButton>
        <Textarea
          label="Rules as YAML"
          value={yaml}
          onChange={(event) => change(event.currentTarget.value)}
          autosize
          minRows={6}
          maxRows={16}
          spellCheck={false}
          className={styles.yaml}
        />
        <Checkbox
          label="Remove rules that are not in the file"
          classNames={{ input: styles.box ?? '' }}
          checked={replace}
          onChange={(event) => {
            setReplace(event.currentTarget.checked)
            check.reset()
          }}
        />
        {check.data && <Changes found={check.data} />}
        <Failure title="The file could not be read" error={reading.error} />
        <Failure title="These rules cannot be taken" error={check.error} />
        <Failure title="Not imported" error={take.error} />
        <Group justify="flex-end">
          <Button
            variant="default"
            disabled={yaml.trim() === ''}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            Show what would change
          </Button>
          <Button disabled={check.data === undefined} loading={take.isPending} onClick={() => take.mutate()}>
            Import
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Changes({ found }: { found: Imported }) {
  const groups = [
    ['Added', found.added],
    ['Changed', found.changed],
    ['Removed', found.removed],
  ] as const
  return (
    <section aria-label="What would change" role="status" className={styles.result}>
      {groups.map(
        ([word, keys]) =>
          keys.length > 0 && (
            <p key={word} className={styles.wide}>
              <strong>{word}:</strong> {keys.join(', ')}
            </p>
          ),
      )}
      <p className="muted">{plural(found.unchanged.length, 'rule stays as it is', 'rules stay as they are')}.</p>
    </section>
  )
}
