/** Finds any object by name, from anywhere. */

import { Combobox, Loader, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { searchQuery } from '../api/queries'
import type { SearchHit } from '../api/types'
import { addressOf } from '../components/EntityLink'
import { Icon, type IconName } from '../components/Icon'
import { Name } from '../components/Name'
import { Worded } from '../components/Worded'
import styles from './SearchBox.module.css'

export const SEARCH_ID = 'search'

const ICONS: Partial<Record<SearchHit['ref']['kind'], IconName>> = {
  datastore: 'datastore',
  vm: 'vm',
  host: 'host',
  volume: 'volume',
  array: 'array',
  source: 'source',
}

export function SearchBox() {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 150)
  const { data, error, isFetching } = useQuery(searchQuery(asked))
  const navigate = useNavigate()
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const hits = (asked === '' ? [] : (data ?? [])).filter((hit) => addressOf(hit.ref) !== null)

  // Enter opens the first hit: what it is, is known only when the answer is there.
  const { selectFirstOption } = combobox
  const found = hits.map((hit) => `${hit.ref.kind}-${hit.ref.id}`).join()
  useEffect(() => {
    if (found !== '') selectFirstOption()
  }, [found, selectFirstOption])

  function go(address: string) {
    setText('')
    combobox.closeDropdown()
    void navigate({ to: address })
  }

  return (
    <Combobox store={combobox} onOptionSubmit={go} withinPortal shadow="md">
      <Combobox.Target>
        <TextInput
          id={SEARCH_ID}
          aria-label="Search for a datastore, VM, host, volume or array"
          placeholder="Find a datastore, VM, host…  /"
          size="sm"
          value={text}
          maxLength={200}
          leftSection={<Icon name="search" />}
          rightSection={isFetching && asked !== '' ? <Loader size={14} /> : null}
          onChange={(event) => {
            setText(event.currentTarget.value)
            combobox.openDropdown()
          }}
          onFocus={() => text !== '' && combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={asked === ''}>
        <Combobox.Options mah={420} className={styles.options}>
          {hits.map((hit) => (
            <Combobox.Option
              key={`${hit.ref.kind}-${hit.ref.id}`}
              value={addressOf(hit.ref) ?? ''}
              className={styles.option}
            >
              <Icon name={ICONS[hit.ref.kind] ?? 'search'} />
              <span className={styles.words}>
                <Name>{hit.ref.name}</Name>
                <span className={styles.context}>
                  <Name>{`${hit.ref.kind} · ${hit.context}`}</Name>
                </span>
              </span>
            </Combobox.Option>
          ))}
          {hits.length === 0 && !isFetching && (
            <Combobox.Empty>
              <Worded>{error ? `The search failed: ${error.message}` : 'Nothing has a name like that.'}</Worded>
            </Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
