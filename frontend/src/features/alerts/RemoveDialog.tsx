import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import * as commonCopy from '../../copy/common'
import { Failure } from '../../kit/state/Failure'
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
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': commonCopy.close }}>
      <Stack gap="md">
        <p>{children}</p>
        <Failure title={commonCopy.removeFailed} error={removal.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonCopy.cancel}
          </Button>
          <Button color="red" loading={removal.isPending} onClick={() => removal.mutate()}>
            {commonCopy.remove}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
