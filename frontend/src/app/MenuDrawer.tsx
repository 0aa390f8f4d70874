import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import * as navigationCopy from '../copy/navigation'

interface MenuDrawerProps {
  opened: boolean
  onClose: () => void
  children: ReactNode
}

/** The menu of a screen that has no room for it beside the page. */
export default function MenuDrawer({ opened, onClose, children }: MenuDrawerProps) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title={navigationCopy.pages}
      size={260}
      closeButtonProps={{ 'aria-label': navigationCopy.closeMenu }}
    >
      {children}
    </Drawer>
  )
}
