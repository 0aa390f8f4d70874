/** One condition: what is compared, of which part and direction, how much, and when it has recovered. */

import { Button, NativeSelect, NumberInput } from '@mantine/core'
import type { QuantityUse } from '../../../api/types'
import * as commonCopy from '../../../copy/common'
import * as rulesCopy from '../../../copy/rules'
import { partWord, quantityWord, type Subject } from '../../../domain/alerts/words'
import { leastWidth } from '../../../kit/layout/columns'
import { type DraftCondition, type Quantities, withQuantity, writtenIn } from './draft'

interface ConditionInputProps {
  place: number
  condition: DraftCondition
  of: Subject
  quantities: Quantities
  onChange: (condition: DraftCondition) => void
  /** Absent for the only one. */
  onRemove: (() => void) | null
  /** The problem of a field: "at_least". */
  problemOf: (field: string) => string | undefined
}

type FindingChoice = QuantityUse['findings'][number]

const DIRECTIONS = [
  { value: 'all', label: rulesCopy.readsAndWrites },
  { value: 'read', label: rulesCopy.reads },
  { value: 'write', label: rulesCopy.writes },
] as const

const COMPARED = [
  { value: 'lower', label: rulesCopy.lowerBound },
  { value: 'estimate', label: rulesCopy.estimate },
] as const

const SEVERITIES = [
  { value: '', label: rulesCopy.anySeverity },
  { value: 'elevated', label: rulesCopy.elevatedUp },
  { value: 'high', label: rulesCopy.highOnly },
] as const

interface FindingInputsProps extends Pick<ConditionInputProps, 'condition' | 'problemOf'> {
  choices: readonly FindingChoice[]
  set: (patch: Partial<DraftCondition>) => void
}

/** Which findings count: of which rule, from which severity on. */
function FindingInputs({ choices, condition, set, problemOf }: FindingInputsProps) {
  return (
    <>
      <NativeSelect
        label={rulesCopy.finding}
        data={[
          { value: '', label: rulesCopy.anyFinding },
          ...choices.map(({ id, title }) => ({ value: id, label: title })),
        ]}
        value={condition.finding ?? ''}
        onChange={({ currentTarget: { value } }) => set({ finding: value === '' ? null : value })}
        error={problemOf('finding')}
      />
      <NativeSelect
        label={rulesCopy.findingSeverity}
        data={SEVERITIES}
        value={condition.findingSeverity === 'normal' ? '' : (condition.findingSeverity ?? '')}
        onChange={({ currentTarget: { value } }) =>
          set({ findingSeverity: value === 'high' || value === 'elevated' ? value : null })
        }
        error={problemOf('finding_severity')}
      />
    </>
  )
}

export function ConditionInput(props: ConditionInputProps) {
  const { place, condition, of, quantities, onChange, onRemove, problemOf } = props
  const set = (patch: Partial<DraftCondition>) => onChange({ ...condition, ...patch })
  const use = quantities.get(condition.quantity)
  const unit = use === undefined ? '' : writtenIn(use.unit)
  const choices = [...quantities.values()].filter(({ subjects }) => subjects.includes(of))
  return (
    <fieldset className="note">
      <legend>{place === 0 ? rulesCopy.firesWhen : rulesCopy.andWhen}</legend>
      <div className="fitted start gap-8" style={leastWidth(170)}>
        <NativeSelect
          label={rulesCopy.quantity}
          data={choices.map(({ quantity }) => ({ value: quantity, label: quantityWord(quantity) }))}
          value={condition.quantity}
          onChange={({ currentTarget: { value } }) => {
            const chosen = choices.find(({ quantity }) => quantity === value)
            if (chosen !== undefined) onChange(withQuantity(condition, chosen))
          }}
          error={problemOf('quantity')}
        />
        {use !== undefined && use.parts.length > 0 && (
          <NativeSelect
            label={rulesCopy.part}
            data={use.parts.map((part) => ({ value: part ?? '', label: partWord(part) }))}
            value={condition.part ?? ''}
            onChange={({ currentTarget: { value } }) =>
              set({ part: use.parts.find((part) => (part ?? '') === value) ?? null })
            }
            error={problemOf('part')}
          />
        )}
        {use !== undefined && use.findings.length > 0 && (
          <FindingInputs choices={use.findings} condition={condition} set={set} problemOf={problemOf} />
        )}
        {use?.has_direction && (
          <NativeSelect
            label={rulesCopy.direction}
            data={DIRECTIONS}
            value={condition.direction}
            onChange={({ currentTarget: { value } }) =>
              set({ direction: DIRECTIONS.find((one) => one.value === value)?.value ?? 'all' })
            }
          />
        )}
        {use?.unit !== 'findings' && (
          <NativeSelect
            label={rulesCopy.basis}
            data={COMPARED}
            value={condition.compared}
            onChange={({ currentTarget: { value } }) => set({ compared: value === 'estimate' ? 'estimate' : 'lower' })}
          />
        )}
        <NumberInput
          label={rulesCopy.threshold(unit)}
          withAsterisk
          min={0}
          clampBehavior="none"
          value={condition.atLeast}
          onChange={(atLeast) => set({ atLeast })}
          error={problemOf('at_least')}
        />
        <NumberInput
          label={rulesCopy.clearBelow(unit)}
          placeholder={rulesCopy.sameThreshold}
          min={0}
          clampBehavior="none"
          value={condition.recoverBelow}
          onChange={(recoverBelow) => set({ recoverBelow })}
          error={problemOf('recover_below')}
        />
      </div>
      {place === 0 && use?.unit !== 'findings' && <p className="ends quiet">{rulesCopy.basisHint}</p>}
      {onRemove !== null && (
        <Button size="xs" variant="subtle" onClick={onRemove} aria-label={rulesCopy.removeCondition(place + 1)}>
          {commonCopy.remove}
        </Button>
      )}
    </fieldset>
  )
}
