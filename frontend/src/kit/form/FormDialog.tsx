/** A dialog with a form in it. Escape, a click beside it and its close button ask first once something was entered. */

import { Button, Group, Modal } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import * as commonCopy from '../../copy/common'

interface FormDialogProps {
  title: string
  size?: string
  /** What was entered is kept: nothing is asked any more. */
  isSaved?: boolean
  onClose: () => void
  children: ReactNode
}

export function FormDialog({ title, size, isSaved = false, onClose, children }: FormDialogProps) {
  const [isEntered, setEntered] = useState(false)
  const [isAsking, ask] = useState(false)
  return (
    <Modal
      opened
      onClose={isEntered && !isSaved ? () => ask(true) : onClose}
      closeOnEscape={!isAsking}
      title={title}
      {...(size === undefined ? {} : { size })}
      closeButtonProps={{ 'aria-label': commonCopy.close }}
    >
      <div onChange={() => setEntered(true)}>{children}</div>
      {/* Mounted only then: it would take the key that asks as its own, and close. */}
      {isAsking && (
        <Modal
          opened
          onClose={() => ask(false)}
          title={commonCopy.discardTitle}
          closeButtonProps={{ 'aria-label': commonCopy.close }}
        >
          <p>{commonCopy.discardText}</p>
          <Group justify="flex-end" gap="sm" mt="md">
            <Button variant="default" onClick={() => ask(false)} data-autofocus>
              {commonCopy.keepEditing}
            </Button>
            <Button color="red" onClick={onClose}>
              {commonCopy.discard}
            </Button>
          </Group>
        </Modal>
      )}
    </Modal>
  )
}
