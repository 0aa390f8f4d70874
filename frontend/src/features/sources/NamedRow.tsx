/** Rows of a card's list: what each is about, what is to say of it, and what can be done. */

import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { columnWidths } from '../../kit/layout/columns'
import { Name } from '../../kit/text/Name'
import styles from './NamedRow.module.css'

interface NamedRowProps {
  name: string
  action?: ReactNode
  children: ReactNode
}

export function NamedRow({ name, action, children }: NamedRowProps) {
  return (
    <li
      className={`${styles.row} columns start inset ruled-below gap-wrap`}
      style={columnWidths('220px minmax(0, 1fr) auto', 'minmax(0, 1fr)')}
    >
      <strong className="inline narrow gap-4">
        <Name focusable>{name}</Name>
      </strong>
      <div className={'grid narrow breaks gap-2'}>{children}</div>
      {action}
    </li>
  )
}

interface RowActionProps {
  children: string
  /** With the name of the row, where the word alone says not which. */
  label?: string
  isBusy?: boolean
  isDisabled?: boolean
  onPress: () => void
}

export function RowAction({ children, label, isBusy = false, isDisabled = false, onPress }: RowActionProps) {
  return (
    <Button
      variant="default"
      size="xs"
      w="fit-content"
      aria-label={label}
      loading={isBusy}
      disabled={isDisabled}
      onClick={onPress}
    >
      {children}
    </Button>
  )
}
