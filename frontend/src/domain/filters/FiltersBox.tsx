/** The box with every filter that does not stand in the bar. */

import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import type { EntityKind } from '../../api/queries'
import type { OfferedFilter } from '../../api/types'
import * as filtersCopy from '../../copy/filters'
import { Beside } from '../../kit/layout/Beside'
import type { BoxButton } from '../../kit/layout/boxButton'
import { FilterField } from './FilterField'
import type { FilterField as Field } from './fields'
import type { FilterName } from './filterValues'
import { SuggestField } from './SuggestField'
import { useFilters } from './useFilters'

interface FiltersBoxProps {
  of: BoxButton
  label: string
  opened: boolean
  onChange: (opened: boolean) => void
  fields: readonly Field[]
  kind: EntityKind
}

export default function FiltersBox({ fields, kind, ...box }: FiltersBoxProps) {
  const [isOffering, setOffering] = useState(false)
  return (
    <Beside {...box} closeOnEscape={!isOffering}>
      <Fields fields={fields} kind={kind} onOffering={setOffering} />
    </Beside>
  )
}

const OFFERED: Record<OfferedFilter, true> = {
  owner: true,
  application: true,
  label: true,
  folder: true,
  cluster: true,
  vcenter: true,
  array: true,
}

/** Its values are in the inventory. */
const isOffered = (name: FilterName): name is OfferedFilter => Object.hasOwn(OFFERED, name)

interface FieldsProps {
  fields: readonly Field[]
  kind: EntityKind
  onOffering: (isOffering: boolean) => void
}

function Fields({ fields, kind, onOffering }: FieldsProps) {
  const { values, set, clear, isFiltered } = useFilters()
  return (
    <Stack gap="sm">
      <Stack gap="xs" p={2} mah="60dvh" style={{ overflowY: 'auto' }}>
        {fields.map((field) => {
          const shared = {
            field,
            value: values[field.name] ?? '',
            onChange: (value: string, options?: { replace?: boolean }) => set(field.name, value, options),
          }
          return isOffered(field.name) ? (
            <SuggestField key={field.name} {...shared} name={field.name} kind={kind} onOffering={onOffering} />
          ) : (
            <FilterField key={field.name} {...shared} isNamed />
          )
        })}
      </Stack>
      <Button size="xs" variant="subtle" disabled={!isFiltered} onClick={clear}>
        {filtersCopy.clearAll}
      </Button>
    </Stack>
  )
}
