/** The box with every filter that does not stand in the bar. */

import { Button, Stack } from '@mantine/core'
import * as filtersCopy from '../../copy/filters'
import { Beside } from '../../kit/layout/Beside'
import type { BoxButton } from '../../kit/layout/boxButton'
import { FilterField } from './FilterField'
import type { FilterField as Field } from './fields'
import { useFilters } from './useFilters'

interface FiltersBoxProps {
  of: BoxButton
  label: string
  opened: boolean
  onChange: (opened: boolean) => void
  fields: readonly Field[]
}

export default function FiltersBox({ fields, ...box }: FiltersBoxProps) {
  return (
    <Beside {...box}>
      <Fields fields={fields} />
    </Beside>
  )
}

function Fields({ fields }: { fields: readonly Field[] }) {
  const { values, set, clear, isFiltered } = useFilters()
  return (
    <Stack gap="sm">
      <Stack gap="xs" p={2} mah="60dvh" style={{ overflowY: 'auto' }}>
        {fields.map((field) => (
          <FilterField
            key={field.name}
            field={field}
            isNamed
            value={values[field.name] ?? ''}
            onChange={(value, options) => set(field.name, value, options)}
          />
        ))}
      </Stack>
      <Button size="xs" variant="subtle" disabled={!isFiltered} onClick={clear}>
        {filtersCopy.clearAll}
      </Button>
    </Stack>
  )
}
