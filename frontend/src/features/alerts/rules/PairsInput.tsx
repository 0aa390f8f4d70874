/** Rows of a name and a value. */

import { ActionIcon, Autocomplete, Button, TextInput } from '@mantine/core'
import * as commonCopy from '../../../copy/common'
import * as rulesCopy from '../../../copy/rules'
import { columnWidths } from '../../../kit/layout/columns'
import { Icon } from '../../../kit/mark/Icon'
import type { Pair } from './draft'

const ROW = { ...columnWidths('minmax(0, 1fr) minmax(0, 1.6fr) auto', 'minmax(0, 1fr) auto'), alignItems: 'end' }

interface PairsInputProps {
  legend: string
  pairs: readonly Pair[]
  onChange: (pairs: Pair[]) => void
  /** What one row is called, and what its two inputs are. */
  words: { row: string; name: string; value: string }
  names: string[]
  /** What it means when there is none. */
  none: string
  hint?: string
  problem: string | undefined
}

export function PairsInput({ legend, pairs, onChange, words, names, none, hint, problem }: PairsInputProps) {
  const set = (index: number, patch: Partial<Pair>) =>
    onChange(pairs.map((one, at) => (at === index ? { ...one, ...patch } : one)))
  return (
    <fieldset className="note">
      <legend>{legend}</legend>
      <div className="grid gap-8">
        {pairs.map((pair, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own and keep their place
          <div key={index} className="columns gap-8" style={ROW}>
            <Autocomplete
              aria-label={`${words.name} ${index + 1}`}
              data={names}
              maxLength={64}
              value={pair.name}
              onChange={(name) => set(index, { name })}
            />
            <TextInput
              aria-label={`${words.value} ${index + 1}`}
              maxLength={300}
              value={pair.value}
              onChange={(event) => set(index, { value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="default"
              size="input-sm"
              aria-label={rulesCopy.removeRow(words.row, index + 1)}
              onClick={() => onChange(pairs.filter((_, at) => at !== index))}
            >
              <Icon name="cross" />
            </ActionIcon>
          </div>
        ))}
        {pairs.length === 0 && <p className="muted">{none}</p>}
        {problem !== undefined && (
          <p className="size-label" data-tone="bad" role="alert">
            {problem}
          </p>
        )}
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          leftSection={<Icon name="plus" size={14} />}
          disabled={pairs.length >= 20}
          onClick={() => onChange([...pairs, { name: names[0] ?? '', value: '' }])}
        >
          {commonCopy.add} {words.row}
        </Button>
        {hint !== undefined && <p className="ends quiet">{hint}</p>}
      </div>
    </fieldset>
  )
}
