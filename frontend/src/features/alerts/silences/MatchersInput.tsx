/** Rows of label, is or is not, and pattern. */

import { ActionIcon, Autocomplete, Button, NativeSelect, TextInput } from '@mantine/core'
import type { Matcher } from '../../../api/types'
import * as rulesCopy from '../../../copy/rules'
import * as silencesCopy from '../../../copy/silences'
import { columnWidths } from '../../../kit/layout/columns'
import { Icon } from '../../../kit/mark/Icon'
import { LABELS } from './matchers'

const ROW = { ...columnWidths('minmax(0, 1fr) auto minmax(0, 1.6fr) auto', 'minmax(0, 1fr) auto'), alignItems: 'end' }

interface MatchersInputProps {
  matchers: readonly Matcher[]
  onChange: (matchers: Matcher[]) => void
  /** What it means when there is none. */
  none: string
  problem?: string | undefined
}

export function MatchersInput({ matchers, onChange, none, problem }: MatchersInputProps) {
  const set = (index: number, patch: Partial<Matcher>) =>
    onChange(matchers.map((one, at) => (at === index ? { ...one, ...patch } : one)))
  return (
    <fieldset className="note">
      <legend>{silencesCopy.matchingAlerts}</legend>
      <div className="grid gap-8">
        {matchers.map((matcher, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own and keep their place
          <div key={index} className="columns gap-8" style={ROW}>
            <Autocomplete
              aria-label={silencesCopy.labelRow(index + 1)}
              data={[...LABELS]}
              maxLength={64}
              value={matcher.label}
              onChange={(label) => set(index, { label })}
            />
            <NativeSelect
              aria-label={silencesCopy.operatorRow(index + 1)}
              data={[silencesCopy.is, silencesCopy.isNot]}
              value={matcher.negated ? silencesCopy.isNot : silencesCopy.is}
              onChange={(event) => set(index, { negated: event.currentTarget.value === silencesCopy.isNot })}
            />
            <TextInput
              aria-label={silencesCopy.patternRow(index + 1)}
              placeholder="prod-*"
              data-autofocus={index === 0 && matcher.pattern === '' ? true : undefined}
              maxLength={300}
              value={matcher.pattern}
              onChange={(event) => set(index, { pattern: event.currentTarget.value })}
            />
            <ActionIcon
              variant="default"
              size="input-sm"
              aria-label={rulesCopy.removeCondition(index + 1)}
              onClick={() => onChange(matchers.filter((_, at) => at !== index))}
            >
              <Icon name="cross" />
            </ActionIcon>
          </div>
        ))}
        {matchers.length === 0 && <p className="muted">{none}</p>}
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
          disabled={matchers.length >= 20}
          onClick={() => onChange([...matchers, { label: 'object', pattern: '', negated: false }])}
        >
          {silencesCopy.addCondition}
        </Button>
        <p className="ends quiet">{silencesCopy.wildcardHint}</p>
      </div>
    </fieldset>
  )
}
