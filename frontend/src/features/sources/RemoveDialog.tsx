/** Removing a source takes its pages with it, for good: it says so, and offers to switch it off instead. */

import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeSource, removeSource } from '../../api/commands'
import type { SourceOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as sourcesCopy from '../../copy/sources'
import { Icon } from '../../kit/mark/Icon'
import { Name } from '../../kit/text/Name'
import { Worded } from '../../kit/text/Worded'
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
    <Modal
      opened
      onClose={onClose}
      title={sourcesCopy.removeTitle}
      closeButtonProps={{ 'aria-label': commonCopy.close }}
    >
      <Stack gap="md">
        <p>
          {sourcesCopy.removeStops}{' '}
          <strong>
            <Name whole>{source.name}</Name>
          </strong>{' '}
          {sourcesCopy.removeSettings}
        </p>
        <p>
          {known === '' ? sourcesCopy.allInventory : sourcesCopy.itsInventory(known)} {sourcesCopy.removeData}{' '}
          <strong>{sourcesCopy.cannotBeUndone}</strong>
          {sourcesCopy.addedAgain}
        </p>
        {source.enabled && <p>{sourcesCopy.pauseInsteadText}</p>}
        {removal.error && <Failure title={commonCopy.removeFailed} error={removal.error} />}
        {rest.error && <Failure title={sourcesCopy.pauseFailed} error={rest.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonCopy.cancel}
          </Button>
          {source.enabled && (
            <Button variant="default" loading={rest.isPending} onClick={() => rest.mutate()}>
              {sourcesCopy.pauseInstead}
            </Button>
          )}
          <Button color="red" loading={removal.isPending} onClick={() => removal.mutate()}>
            {commonCopy.remove}
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
