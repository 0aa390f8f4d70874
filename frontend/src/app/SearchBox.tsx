/** Finds any object by name, address or label, and pages and time ranges, from anywhere. */

import { Loader, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEventHandler, useCallback, useRef, useState } from 'react'
import { searchQuery } from '../api/queries'
import * as navigationCopy from '../copy/navigation'
import { Icon } from '../kit/mark/Icon'
import { standing } from '../kit/schedule/onPress'
import type { FlatSearch } from '../lib/search'

const SearchHits = standing(async () => (await import('./SearchHits')).default)

export const SEARCH_ID = 'search'

export function SearchBox() {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [field, setField] = useState<HTMLInputElement | null>(null)
  const keys = useRef<KeyboardEventHandler>(undefined)
  const [asked] = useDebouncedValue(text.trim(), 150)
  const { data, error, isFetching } = useQuery(searchQuery(asked))
  const navigate = useNavigate()

  function go(address: string, search?: FlatSearch) {
    setText('')
    setOpen(false)
    if (address) void navigate({ to: address, ...(search && { search: search as never }) })
  }

  const listen = useCallback((handler: KeyboardEventHandler | undefined) => {
    keys.current = handler
  }, [])

  return (
    <>
      <TextInput
        id={SEARCH_ID}
        ref={setField}
        aria-label={navigationCopy.searchLabel}
        aria-haspopup="listbox"
        autoComplete="off"
        placeholder={navigationCopy.searchPlaceholder}
        size="sm"
        value={text}
        maxLength={200}
        leftSection={<Icon name="search" />}
        rightSection={isFetching && asked !== '' ? <Loader size={14} /> : null}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setOpen(true)
        }}
        onFocus={() => text !== '' && setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
          keys.current?.(event)
        }}
      />
      <SearchHits
        opened={isOpen}
        onChange={setOpen}
        field={field}
        onKeys={listen}
        asked={asked}
        found={data ?? []}
        error={error}
        isFetching={isFetching}
        onGo={go}
      />
    </>
  )
}
