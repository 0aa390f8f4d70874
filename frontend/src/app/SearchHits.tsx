/** What was found by name, below the field that it was typed into. */

import { Combobox, useCombobox } from '@mantine/core'
import { type KeyboardEventHandler, useEffect } from 'react'
import type { SearchHit } from '../api/types'
import * as navigationCopy from '../copy/navigation'
import { kindOfSubject } from '../domain/kinds'
import { addressOf } from '../domain/object/EntityLink'
import { Icon } from '../kit/mark/Icon'
import { Name } from '../kit/text/Name'
import { Worded } from '../kit/text/Worded'
import styles from './SearchBox.module.css'
import { StandIn } from './StandIn'

interface SearchHitsProps {
  opened: boolean
  onChange: (opened: boolean) => void
  field: HTMLElement | null
  onKeys: (handler: KeyboardEventHandler | undefined) => void
  /** What was looked for; "" for nothing. */
  asked: string
  found: readonly SearchHit[]
  error: Error | null
  isFetching: boolean
  onGo: (address: string) => void
}

export default function SearchHits(props: SearchHitsProps) {
  const { opened, onChange, field, onKeys, asked, error, isFetching, onGo } = props
  const combobox = useCombobox({ opened, onOpenedChange: onChange })
  const hits = (asked === '' ? [] : props.found).filter((hit) => addressOf(hit.ref) !== null)

  // Enter opens the first hit: what it is, is known only when the answer is there.
  const { selectFirstOption, resetSelectedOption } = combobox
  const found = hits.map((hit) => `${hit.ref.kind}-${hit.ref.id}`).join()
  useEffect(() => {
    if (!opened) return resetSelectedOption()
    if (found === '') return
    // The list knows its own name a moment after it is drawn.
    const timer = setTimeout(selectFirstOption)
    return () => clearTimeout(timer)
  }, [opened, found, selectFirstOption, resetSelectedOption])

  return (
    <Combobox store={combobox} onOptionSubmit={onGo} withinPortal shadow="md">
      <Combobox.Target>
        <StandIn of={field} onKeys={onKeys} />
      </Combobox.Target>
      <Combobox.Dropdown hidden={asked === ''}>
        <Combobox.Options mah={420} className={styles.options}>
          {hits.map((hit) => (
            <Combobox.Option
              key={`${hit.ref.kind}-${hit.ref.id}`}
              value={addressOf(hit.ref) ?? ''}
              className={styles.option}
            >
              <Icon name={kindOfSubject(hit.ref.kind)?.subject ?? (hit.ref.kind === 'source' ? 'source' : 'search')} />
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
              <Worded>{error ? navigationCopy.searchFailed(error.message) : navigationCopy.noResults}</Worded>
            </Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
