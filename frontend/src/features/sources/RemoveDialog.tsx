/** Removing a source takes its pages with it, for good: it says so, and offers to switch it off instead. */

import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeSource, removeSource } from '../../api/commands'
import type { SourceOut } from '../../api/types'
import { Icon } from '../../components/Icon'
import { Name } from '../../components/Name'
import { Worded } from '../../components/Worded'
import { inventory } from './sourceWords'

export function RemoveDialog({ source, onClose }: { source: SourceOut; onClose: () => void }) {
  const client = useQueryClient()
  const onSuccess = async () => {
    await client.invalidateQueries()
    onClose()
  }
  const removal = useMutation({ mutationFn: () => removeSource(source.id), onSuccess })
  const rest = useMutation({ mutationFn: () => changeSource(source.id, { enabled: false }), onSuccess })
  const known = inventory(source.entities)
  return (
    <Modal opened onClose={onClose} title="Remove this source?" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <p>
          Gavel stops polling{' '}
          <strong>
            <Name whole>{source.name}</Name>
          </strong>{' '}
          and forgets its settings and secrets.
        </p>
        <p>
          {known === '' ? 'All that it brought' : `Its ${known}`} and everything that was measured of them disappear
          from the pages, with their verdicts. <strong>This cannot be undone</strong>: added again, it begins with the
          last hours that it still keeps itself.
        </p>
        {source.enabled && <p>Switched off, it is polled no more, and all that was read stays.</p>}
        {removal.error && <Failure title="Not removed" error={removal.error} />}
        {rest.error && <Failure title="Not switched off" error={rest.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep it
          </Button>
          {source.enabled && (
            <Button variant="default" loading={rest.isPending} onClick={() => rest.mutate()}>
              Switch it off instead
            </Button>
          )}
          <Button color="red" loading={removal.isPending} onClick={() => removal.mutate()}>
            Remove
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Failure({ title, error }: { title: string; error: Error }) {
  return (
    <Alert color="red" variant="outline" icon={<Icon name="warning" />} title={title}>
      <Worded>{error.message}</Worded>
    </Alert>
  )
}
