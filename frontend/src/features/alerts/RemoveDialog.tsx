import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Failure } from './Failure'
import { useAlertCommand } from './useAlertCommand'

interface RemoveDialogProps {
  /** "Remove this channel?" */
  title: string
  /** What is lost by it. */
  children: ReactNode
  command: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something is gone for good. */
export function RemoveDialog({ title, children, command, onClose }: RemoveDialogProps) {
  const removal = useAlertCommand(command, onClose)
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <p>{children}</p>
        <Failure title="Not removed" error={removal.error} />
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
