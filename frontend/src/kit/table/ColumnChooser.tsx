/** The button of a table's columns: what it opens comes with its code when it is pressed. */

import { Button } from '@mantine/core'
import { useState } from 'react'
import * as listsCopy from '../../copy/lists'
import { useBoxButton } from '../layout/boxButton'
import { Icon } from '../mark/Icon'
import { standing } from '../schedule/onPress'
import type { Choice } from './useColumnChoice'

const ColumnsBox = standing(async () => (await import('./ColumnsBox')).default)

export function ColumnChooser({ choice }: { choice: Choice }) {
  const [isOpen, setOpen] = useState(false)
  const { button, carried } = useBoxButton(isOpen)
  return (
    <>
      <Button {...carried} variant="default" leftSection={<Icon name="table" />} onClick={() => setOpen(!isOpen)}>
        {listsCopy.columns}
      </Button>
      <ColumnsBox opened={isOpen} onChange={setOpen} of={button} label={listsCopy.columns} choice={choice} />
    </>
  )
}
