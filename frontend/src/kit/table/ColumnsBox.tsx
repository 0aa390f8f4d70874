/** The box in which the columns of a table are shown, hidden and ordered. */

import { ActionIcon, Button, Checkbox, Group, Stack, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import * as listsCopy from '../../copy/lists'
import { Beside } from '../layout/Beside'
import type { BoxButton } from '../layout/boxButton'
import { columnWidths } from '../layout/columns'
import { Icon } from '../mark/Icon'
import { moved } from './columnChoice'
import type { Choice } from './useColumnChoice'

interface ColumnsBoxProps {
  of: BoxButton
  label: string
  opened: boolean
  onChange: (opened: boolean) => void
  choice: Choice
}

export default function ColumnsBox({ choice, ...box }: ColumnsBoxProps) {
  return (
    <Beside {...box}>
      <Choices choice={choice} />
    </Beside>
  )
}

function Choices({ choice }: { choice: Choice }) {
  const { ids, offered, choose } = choice
  const [change, setChange] = useState('')
  const [subject, ...movable] = ids

  /** Whose numbers a row has stays first. */
  const place = (next: readonly string[]) => choose([...(subject === undefined ? [] : [subject]), ...next])
  const toggle = (id: string) =>
    place(movable.includes(id) ? movable.filter((shown) => shown !== id) : [...movable, id])
  function move(id: string, header: string, by: -1 | 1) {
    const next = moved(movable, id, by)
    place(next)
    setChange(listsCopy.columnMoved(header, next.indexOf(id) + 2, next.length + 1))
  }

  return (
    <Stack gap="xs">
      <ul className="list" style={{ maxHeight: 'min(420px, 60dvh)', overflowY: 'auto' }}>
        {offered.map(({ id, header }) => {
          const at = movable.indexOf(id)
          return (
            <li key={id} className="columns middle gap-2" style={{ ...columnWidths('1fr auto auto'), minHeight: 32 }}>
              <Checkbox label={header} checked={at >= 0} onChange={() => toggle(id)} />
              <Move label={listsCopy.columnLeft(header)} by={-1} off={at < 1} onMove={() => move(id, header, -1)} />
              <Move
                label={listsCopy.columnRight(header)}
                by={1}
                off={at < 0 || at === movable.length - 1}
                onMove={() => move(id, header, 1)}
              />
            </li>
          )
        })}
      </ul>
      <VisuallyHidden role="status">{change}</VisuallyHidden>
      <Group gap="xs" justify="space-between">
        <Button size="xs" variant="subtle" onClick={choice.reset}>
          {listsCopy.columnsReset}
        </Button>
        <Button size="xs" variant="subtle" leftSection={<Icon name="link" />} onClick={choice.share}>
          {listsCopy.columnsToLink}
        </Button>
      </Group>
    </Stack>
  )
}

interface MoveProps {
  label: string
  by: -1 | 1
  /** There is no place further on; it keeps the focus of who moved a column as far as it goes. */
  off: boolean
  onMove: () => void
}

function Move({ label, by, off, onMove }: MoveProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      aria-disabled={off}
      data-disabled={off || undefined}
      onClick={() => !off && onMove()}
    >
      <Icon name={by < 0 ? 'left' : 'right'} />
    </ActionIcon>
  )
}
