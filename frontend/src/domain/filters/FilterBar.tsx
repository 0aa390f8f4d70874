/** What a list is narrowed by: part of a name and the severity in the bar, everything else in a box behind a button. */

import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import type { EntityKind } from '../../api/queries'
import * as filtersCopy from '../../copy/filters'
import { useBoxButton } from '../../kit/layout/boxButton'
import { Icon } from '../../kit/mark/Icon'
import { standing } from '../../kit/schedule/onPress'
import { NameFilter } from '../../kit/table/NameFilter'
import { atLeast } from '../../lib/breakpoints'
import { KIND } from '../kinds'
import { FilterField } from './FilterField'
import { FIELDS, SEVERITY } from './fields'
import { useFilters, valueWord } from './useFilters'

const FiltersBox = standing(async () => (await import('./FiltersBox')).default)

const OFFERED = FIELDS.filter(({ isHidden }) => !isHidden)

export function FilterBar({ kind }: { kind: EntityKind }) {
  const { values, set, active } = useFilters()
  const [isOpen, setOpen] = useState(false)
  const { button, carried } = useBoxButton(isOpen)
  const isPhone = useMediaQuery(`not all and ${atLeast('phone')}`, false, { getInitialValueInEffect: false })
  const fields = isPhone ? OFFERED : OFFERED.filter((field) => field !== SEVERITY)
  const count = active.filter((field) => fields.includes(field)).length
  return (
    <>
      <NameFilter
        noun={KIND[kind].noun}
        value={values.q ?? ''}
        onChange={(text) => set('q', text, { replace: true })}
      />
      {!isPhone && (
        <FilterField field={SEVERITY} value={values.severity ?? ''} onChange={(value) => set('severity', value)} />
      )}
      <Button {...carried} variant="default" leftSection={<Icon name="filter" />} onClick={() => setOpen(!isOpen)}>
        {count === 0 ? filtersCopy.filters : filtersCopy.filtersSet(count)}
      </Button>
      <FiltersBox
        opened={isOpen}
        onChange={setOpen}
        of={button}
        label={filtersCopy.filters}
        fields={fields}
        kind={kind}
      />
    </>
  )
}

/** Each filter that is set, to be removed by a press; nothing where none is. */
export function ActiveFilters({ className = '' }: { className?: string }) {
  const { values, set, clear, active } = useFilters()
  if (active.length === 0) return null
  return (
    <ul className={`list row wrap gap-6 ${className}`} aria-label={filtersCopy.active}>
      {active.map((field) => {
        const { name } = field
        const value = valueWord(field, values[name] ?? '')
        return (
          <li key={name}>
            <Button
              size="compact-sm"
              variant="light"
              rightSection={<Icon name="cross" />}
              aria-label={filtersCopy.clearOne(field.label, value)}
              onClick={() => set(name, '')}
            >
              {filtersCopy.chip(field.label, value)}
            </Button>
          </li>
        )
      })}
      <li>
        <Button size="compact-sm" variant="subtle" onClick={clear}>
          {filtersCopy.clearAll}
        </Button>
      </li>
    </ul>
  )
}

/** Under a list that the filters leave nothing of. */
export function ClearFilters() {
  const { clear } = useFilters()
  return (
    <Button variant="default" onClick={clear}>
      {filtersCopy.clearAll}
    </Button>
  )
}
