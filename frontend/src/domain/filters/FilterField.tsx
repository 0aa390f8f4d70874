/** One filter: a choice of a few, or a text that is taken a moment after the typing stops. */

import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import * as filtersCopy from '../../copy/filters'
import type { FilterField as Field } from './fields'

interface FilterFieldProps {
  field: Field
  value: string
  /** Its name stands above it; otherwise only the screen reader has it. */
  isNamed?: boolean
  onChange: (value: string, options?: { replace?: boolean }) => void
}

export function FilterField({ field, value, isNamed = false, onChange }: FilterFieldProps) {
  const { label, choices } = field
  const spoken = filtersCopy.filterBy(label)
  const name = isNamed ? { label: spoken } : { 'aria-label': spoken }
  if (choices === undefined) return <TextField field={field} value={value} onChange={onChange} />
  return (
    <NativeSelect
      {...name}
      data={[{ value: '', label: filtersCopy.anyValue(label) }, ...choices]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

const SETTLED_MS = 350

function TextField({ field: { label, placeholder = '' }, value, onChange }: FilterFieldProps) {
  const [text, setText] = useState(value)
  const change = useDebouncedCallback((next: string) => onChange(next, { replace: true }), SETTLED_MS)
  useEffect(() => setText(value), [value])
  return (
    <TextInput
      label={filtersCopy.filterBy(label)}
      placeholder={placeholder}
      maxLength={200}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        change(event.currentTarget.value.trim())
      }}
    />
  )
}
