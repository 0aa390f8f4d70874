/** A filter whose values are in the inventory: any part of one, or one of those that are offered, each with how many objects have it. */

import { Combobox, Loader, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { filterValuesQuery } from '../../api/filters'
import type { EntityKind } from '../../api/queries'
import type { FilterValues, OfferedFilter } from '../../api/types'
import * as filtersCopy from '../../copy/filters'
import * as suggestionsCopy from '../../copy/suggestions'
import { Name } from '../../kit/text/Name'
import { plural } from '../../lib/text'
import { formatCount } from '../../lib/units'
import { KIND, type Kind } from '../kinds'
import type { FilterField } from './fields'

interface SuggestFieldProps {
  field: FilterField
  name: OfferedFilter
  kind: EntityKind
  value: string
  onChange: (value: string, options?: { replace?: boolean }) => void
  /** Values are shown, which Escape closes. */
  onOffering: (isOffering: boolean) => void
}

const SETTLED_MS = 350
const ASKED_MS = 150
/** Of a label's name and value, as the API takes them. */
const LONGEST = 637
const NONE: FilterValues = { items: [], total: 0 }

export function SuggestField({ field, name, kind, value, onChange, onOffering }: SuggestFieldProps) {
  const [text, setText] = useState(value)
  const [isWanted, setWanted] = useState(false)
  const [asked] = useDebouncedValue(text.trim(), ASKED_MS)
  const { data = NONE, error, isFetching } = useQuery(filterValuesQuery(name, kind, asked, isWanted))
  const opened = isWanted && data.items.length > 0
  const combobox = useCombobox({ opened, onOpenedChange: setWanted })
  const change = useDebouncedCallback((next: string) => onChange(next, { replace: true }), SETTLED_MS)
  useEffect(() => setText(value), [value])
  useEffect(() => onOffering(opened), [opened, onOffering])
  const { resetSelectedOption } = combobox
  // A text that is typed is taken as it is: no value is chosen until an arrow key chooses one.
  useEffect(() => {
    if (data !== undefined) resetSelectedOption()
  }, [data, resetSelectedOption])

  function choose(filter: string) {
    change.cancel()
    setText(filter)
    setWanted(false)
    onChange(filter)
  }

  return (
    // Not in a portal: a press outside of the box that the field is in closes that.
    <Combobox store={combobox} onOptionSubmit={choose} withinPortal={false} floatingStrategy="fixed" shadow="md">
      <Combobox.Target withExpandedAttribute>
        <TextInput
          label={filtersCopy.filterBy(field.label)}
          placeholder={field.placeholder ?? suggestionsCopy.partHint}
          maxLength={LONGEST}
          value={text}
          error={error === null || !isWanted ? null : suggestionsCopy.notOffered(error.message)}
          rightSection={isFetching && isWanted ? <Loader size={14} /> : null}
          onClick={() => setWanted(true)}
          onBlur={() => setWanted(false)}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setWanted(true)
            change(event.currentTarget.value.trim())
          }}
        />
      </Combobox.Target>
      <span className="spoken" role="status">
        {isWanted && !isFetching && error === null ? offeredWords(data) : ''}
      </span>
      <Combobox.Dropdown>
        <Combobox.Options mah={240} style={{ overflow: 'auto' }} aria-label={suggestionsCopy.offered(field.label)}>
          {data.items.map(({ value: offered, filter, objects }) => (
            <Combobox.Option key={filter} value={filter} className="row narrow gap-10">
              <span className="flex narrow grow">
                <Name>{offered}</Name>
              </span>
              <span className="muted numeric">
                <span className="spoken">, </span>
                {formatCount(objects)}
                <span className="spoken"> {nounFor(objects, KIND[kind])}</span>
              </span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
        {data.total > data.items.length && (
          <Combobox.Footer>
            <span className="muted small">{offeredWords(data)}</span>
          </Combobox.Footer>
        )}
      </Combobox.Dropdown>
    </Combobox>
  )
}

const nounFor = (count: number, { noun, nouns }: Kind) => (count === 1 ? noun : nouns)

function offeredWords({ items, total }: FilterValues): string {
  if (total > items.length) return suggestionsCopy.refine(formatCount(items.length), formatCount(total))
  return total === 0 ? suggestionsCopy.noneOffered : plural(total, suggestionsCopy.valueNoun)
}
