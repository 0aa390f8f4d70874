import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import * as listsCopy from '../../copy/lists'
import { Icon } from '../mark/Icon'

interface NameFilterProps {
  /** One word for what is filtered: "datastore". */
  noun: string
  value: string
  onChange: (value: string) => void
  className?: string | undefined
}

/** Filters a list by name, a moment after the typing stops. */
export function NameFilter({ noun, value, onChange, className }: NameFilterProps) {
  const [text, setText] = useState(value)
  const change = useDebouncedCallback(onChange, 250)
  useEffect(() => setText(value), [value])
  return (
    <TextInput
      className={className}
      aria-label={listsCopy.filterByKind(noun)}
      placeholder={listsCopy.filterByName}
      leftSection={<Icon name="search" />}
      maxLength={200}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        change(event.currentTarget.value.trim())
      }}
    />
  )
}
