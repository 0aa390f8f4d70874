import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import * as commonCopy from '../../copy/common'
import { Failure } from '../state/Failure'

interface RemovalDialogProps {
  /** "Remove this channel?" */
  title: string
  /** What is lost by it. */
  children: ReactNode
  removal: { error: Error | null; isPending: boolean; mutate: () => void }
  /** A button for what could be done instead. */
  instead?: ReactNode
  onClose: () => void
}

/** Asks before something is gone for good. */
export function RemovalDialog({ title, children, removal, instead, onClose }: RemovalDialogProps) {
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': commonCopy.close }}>
      <Stack gap="md">
        {children}
        <Failure title={commonCopy.removeFailed} error={removal.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonCopy.cancel}
          </Button>
          {instead}
          <Button color="red" loading={removal.isPending} onClick={() => removal.mutate()}>
            {commonCopy.remove}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
