/** What was found by name, below the field that it was typed into. */

import { Combobox, useCombobox } from '@mantine/core'
import { type KeyboardEventHandler, useEffect } from 'react'
import { useSession } from '../api/session'
import type { SearchHit } from '../api/types'
import * as navigationCopy from '../copy/navigation'
import * as paletteCopy from '../copy/palette'
import { kindOfSubject } from '../domain/kinds'
import { addressOf } from '../domain/object/EntityLink'
import { StandIn } from '../kit/layout/StandIn'
import { Icon, type IconName } from '../kit/mark/Icon'
import { Name } from '../kit/text/Name'
import { Worded } from '../kit/text/Worded'
import { serverNow } from '../lib/clock'
import { usePreferences } from '../lib/preferences'
import { presetLabel, type Range } from '../lib/range'
import type { FlatSearch } from '../lib/search'
import { formatWindow, type Zone, zoneName } from '../lib/time'
import { useRange } from '../lib/url'
import { type Command, commandsFor } from './palette'

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
  /** Empty: nowhere else, since a time range or a setting was chosen. */
  onGo: (address: string, search?: FlatSearch) => void
}

export default function SearchHits(props: SearchHitsProps) {
  const { opened, onChange, field, onKeys, asked, error, isFetching, onGo } = props
  const combobox = useCombobox({ opened, onOpenedChange: onChange })
  const [, setRange] = useRange()
  const { zone, setZone, setThemeChoice } = usePreferences()
  const { isAdmin } = useSession()
  const hits = (asked === '' ? [] : props.found).filter((hit) => addressOf(hit.ref) !== null)
  const commands = commandsFor(asked, serverNow(), zone, isAdmin)

  function submit(id: string) {
    const command = commands.find((one) => one.id === id)
    switch (command?.kind) {
      case undefined:
        return onGo(id)
      case 'page':
        return onGo(command.address)
      case 'dialog':
        return onGo(command.address, command.search)
      case 'range':
        setRange(command.range)
        break
      case 'theme':
        setThemeChoice(command.theme)
        break
      case 'zone':
        setZone(command.zone)
    }
    onGo('')
  }

  // Enter opens the first hit: what it is, is known only when the answer is there.
  const { selectFirstOption, resetSelectedOption } = combobox
  const found = [...commands.map(({ id }) => id), ...hits.map((hit) => `${hit.ref.kind}-${hit.ref.id}`)].join()
  useEffect(() => {
    if (!opened) return resetSelectedOption()
    if (found === '') return
    // The list knows its own name a moment after it is drawn.
    const timer = setTimeout(selectFirstOption)
    return () => clearTimeout(timer)
  }, [opened, found, selectFirstOption, resetSelectedOption])

  return (
    <Combobox store={combobox} onOptionSubmit={submit} withinPortal shadow="md">
      <Combobox.Target>
        <StandIn of={field} onKeys={onKeys} />
      </Combobox.Target>
      <Combobox.Dropdown hidden={asked === ''}>
        <Combobox.Options mah={420} style={{ overflow: 'auto' }}>
          {commands.map((command) => (
            <CommandOption key={command.id} command={command} zone={zone} />
          ))}
          {hits.map((hit) => (
            <Combobox.Option
              key={`${hit.ref.kind}-${hit.ref.id}`}
              value={addressOf(hit.ref) ?? ''}
              className="row narrow gap-10"
            >
              <Icon name={kindOfSubject(hit.ref.kind)?.subject ?? (hit.ref.kind === 'source' ? 'source' : 'search')} />
              <span className="column narrow grow">
                <Name>{hit.ref.name}</Name>
                <span className="flex narrow small">
                  <Name>{hit.context}</Name>
                </span>
              </span>
            </Combobox.Option>
          ))}
          {hits.length + commands.length === 0 && !isFetching && (
            <Combobox.Empty>
              <Worded>{error ? navigationCopy.searchFailed(error.message) : navigationCopy.noResults}</Worded>
            </Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

function CommandOption({ command, zone }: { command: Command; zone: Zone }) {
  const { icon, title, hint } = optionOf(command, zone)
  return (
    <Combobox.Option value={command.id} className="row narrow gap-10">
      <Icon name={icon} />
      <span className="column narrow grow">
        <span>{title}</span>
        <span className="flex narrow small">{hint}</span>
      </span>
    </Combobox.Option>
  )
}

function optionOf(command: Command, zone: Zone): { icon: IconName; title: string; hint: string } {
  switch (command.kind) {
    case 'page':
      return { icon: command.page.menu?.icon ?? 'search', title: command.page.title, hint: paletteCopy.pageHit }
    case 'dialog':
      return { icon: command.icon, title: command.title, hint: paletteCopy.actionHit }
    case 'range':
      return { icon: 'clock', title: rangeWords(command.range, zone), hint: paletteCopy.rangeHit }
    default:
      return { icon: 'settings', title: command.title, hint: paletteCopy.settingHit }
  }
}

const rangeWords = (range: Range, zone: Zone) =>
  range.kind === 'last'
    ? presetLabel(range.last)
    : `${formatWindow(range.from_ms, range.to_ms, zone)} ${zoneName(zone, range.from_ms)}`
