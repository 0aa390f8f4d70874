/** A box that is opened by a button which stands there without it, and what such a button says of its box. */

import { Popover } from '@mantine/core'
import type { ReactNode } from 'react'
import type { BoxButton } from './boxButton'
import { StandIn } from './StandIn'

interface BesideProps {
  of: BoxButton
  label: string
  opened: boolean
  onChange: (opened: boolean) => void
  className?: string | undefined
  maw?: number
  /** Off while something in it is open that Escape closes first. */
  closeOnEscape?: boolean
  children: ReactNode
}

export function Beside({ of, label, opened, onChange, className, maw, closeOnEscape = true, children }: BesideProps) {
  return (
    <Popover
      id={of.id}
      opened={opened}
      onChange={onChange}
      position="bottom-end"
      shadow="lg"
      closeOnEscape={closeOnEscape}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <StandIn of={of.element} />
      </Popover.Target>
      <Popover.Dropdown aria-label={label} className={className} maw={maw}>
        {children}
      </Popover.Dropdown>
    </Popover>
  )
}
