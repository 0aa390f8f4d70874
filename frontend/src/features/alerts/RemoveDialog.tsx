import type { ReactNode } from 'react'
import { RemovalDialog } from '../../kit/form/RemovalDialog'
import { useAlertCommand } from './useAlertCommand'

interface RemoveDialogProps {
  title: string
  children: ReactNode
  command: () => Promise<unknown>
  onClose: () => void
}

export function RemoveDialog({ title, children, command, onClose }: RemoveDialogProps) {
  const removal = useAlertCommand(command, onClose)
  return (
    <RemovalDialog title={title} removal={removal} onClose={onClose}>
      <p>{children}</p>
    </RemovalDialog>
  )
}
