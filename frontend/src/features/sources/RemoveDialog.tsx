import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { removeSource } from '../../api/commands'
import type { SourceOut } from '../../api/types'
import { Icon } from '../../components/Icon'
import { Name } from '../../components/Name'
import { Worded } from '../../components/Worded'

export function RemoveDialog({ source, onClose }: { source: SourceOut; onClose: () => void }) {
  const client = useQueryClient()
  const removal = useMutation({
    mutationFn: () => removeSource(source.id),
    onSuccess: async () => {
      await client.invalidateQueries()
      onClose()
    },
  })
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
        {removal.error && (
          <Alert color="red" variant="outline" icon={<Icon name="warning" />} title="Not removed">
            <Worded>{removal.error.message}</Worded>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={removal.isPending} onClick={() => removal.mutate()}>
            Remove
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
