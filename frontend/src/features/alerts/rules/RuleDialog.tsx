/** Adds or changes a rule, and tries it on the last days before it can page anybody. */

import { Button, Group, NativeSelect, NumberInput, Skeleton, Stack, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useMemo } from 'react'
import { quantitiesQuery } from '../../../api/alerts'
import type { RuleOut } from '../../../api/types'
import * as alertsCopy from '../../../copy/alerts'
import * as commonCopy from '../../../copy/common'
import * as rulesCopy from '../../../copy/rules'
import { SEVERITIES, SUBJECT_KINDS, subjectsWord } from '../../../domain/alerts/words'
import { FormDialog } from '../../../kit/form/FormDialog'
import { useProblemFocus } from '../../../kit/form/useProblemFocus'
import { leastWidth } from '../../../kit/layout/columns'
import { Icon } from '../../../kit/mark/Icon'
import { DataState } from '../../../kit/state/DataState'
import { Failure } from '../../../kit/state/Failure'
import { visibleName } from '../../../lib/text'
import { ConditionInput } from './ConditionInput'
import { type DraftCondition, type Quantities, withSubject } from './draft'
import { PairsInput } from './PairsInput'
import { PreviewResult } from './PreviewResult'
import { useRuleForm } from './useRuleForm'

interface RuleDialogProps {
  rule: RuleOut | null
  onClose: () => void
}

export function RuleDialog({ rule, onClose }: RuleDialogProps) {
  const query = useQuery(quantitiesQuery())
  const quantities = useMemo(() => new Map(query.data?.map((one) => [one.quantity, one])), [query.data])
  const title = rule === null ? rulesCopy.add : commonCopy.editNamed(visibleName(rule.name))
  return (
    <FormDialog title={title} size="xl" onClose={onClose}>
      <DataState query={query} skeleton={<Skeleton height={480} />}>
        {() => <RuleForm rule={rule} quantities={quantities} onClose={onClose} />}
      </DataState>
    </FormDialog>
  )
}

const QUALITIES = ['A', 'B', 'C', 'D'] as const
const WHERE = ['name', 'array', 'cluster', 'datastore', 'vm', 'tag.', 'attribute.']
const MOST_CONDITIONS = 3

function RuleForm({ rule, quantities, onClose }: RuleDialogProps & { quantities: Quantities }) {
  const form = useRuleForm(rule, quantities, onClose)
  const { draft, set, setDraft, problems, save, preview } = form
  const element = useProblemFocus(form.refusals)

  function submit(event: FormEvent) {
    event.preventDefault()
    save.mutate()
  }

  const [first] = draft.when
  const setCondition = (place: number, next: DraftCondition) =>
    set({ when: draft.when.map((one, at) => (at === place ? next : one)) })
  return (
    <form ref={element} onSubmit={submit} noValidate>
      <Stack gap="md">
        <div className="fitted start gap-12" style={leastWidth(150)}>
          <TextInput
            label={commonCopy.name}
            withAsterisk
            maxLength={200}
            value={draft.name}
            onChange={(event) => form.setName(event.currentTarget.value)}
            error={problems.get('name')}
            data-autofocus
          />
          <TextInput
            label={rulesCopy.key}
            description={rulesCopy.keyHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            withAsterisk
            maxLength={64}
            value={draft.key}
            onChange={(event) => set({ key: event.currentTarget.value })}
            error={problems.get('key')}
            spellCheck={false}
          />
          <NativeSelect
            label={alertsCopy.severity}
            data={SEVERITIES}
            value={draft.severity}
            onChange={({ currentTarget: { value } }) =>
              set({ severity: SEVERITIES.find((one) => one === value) ?? 'warning' })
            }
          />
        </div>
        <h3 className="title">{rulesCopy.scope}</h3>
        <NativeSelect
          label={rulesCopy.appliesTo}
          data={SUBJECT_KINDS.map((kind) => ({ value: kind, label: subjectsWord(kind) }))}
          value={draft.of}
          onChange={({ currentTarget: { value } }) =>
            setDraft(withSubject(draft, SUBJECT_KINDS.find((kind) => kind === value) ?? draft.of, quantities))
          }
          error={problems.get('of')}
        />
        <PairsInput
          legend={rulesCopy.filter}
          pairs={draft.where}
          onChange={(where) => set({ where })}
          words={{ row: rulesCopy.filterRow, name: rulesCopy.filterField, value: rulesCopy.pattern }}
          names={WHERE}
          none={rulesCopy.noFilter}
          hint={rulesCopy.wildcardHint}
          problem={problems.get('where')}
        />
        <h3 className="title">{rulesCopy.condition}</h3>
        {draft.when.map((condition, place) => (
          <ConditionInput
            // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no name of their own and keep their place
            key={place}
            place={place}
            condition={condition}
            of={draft.of}
            quantities={quantities}
            onChange={(next) => setCondition(place, next)}
            onRemove={draft.when.length < 2 ? null : () => set({ when: draft.when.filter((_, at) => at !== place) })}
            problemOf={(field) => problems.get(`when.${place}.${field}`)}
          />
        ))}
        {draft.when.length < MOST_CONDITIONS && first !== undefined && (
          <Button
            size="xs"
            variant="default"
            w="fit-content"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => set({ when: [...draft.when, { ...first, recoverBelow: '' }] })}
          >
            {rulesCopy.addCondition}
          </Button>
        )}
        <div className="fitted start gap-12" style={leastWidth(150)}>
          <Minutes label={rulesCopy.holdTime} field="for_min" form={form} />
          <Minutes label={rulesCopy.keepFiring} field="keep_firing_min" form={form} />
          <Minutes label={rulesCopy.noDataAfter} field="no_data_after_min" form={form} />
          <Minutes label={rulesCopy.minimumOps} field="min_ops" form={form} />
          <NativeSelect
            label={rulesCopy.minimumQuality}
            data={QUALITIES}
            value={draft.min_quality}
            onChange={({ currentTarget: { value } }) =>
              set({ min_quality: QUALITIES.find((quality) => quality === value) ?? 'C' })
            }
            error={problems.get('min_quality')}
          />
        </div>
        <h3 className="title">{rulesCopy.notification}</h3>
        <TextInput
          label={alertsCopy.runbook}
          placeholder="https://"
          maxLength={1000}
          value={draft.runbook_url}
          onChange={(event) => set({ runbook_url: event.currentTarget.value })}
          error={problems.get('runbook_url')}
        />
        <PairsInput
          legend={rulesCopy.labels}
          pairs={draft.labels}
          onChange={(labels) => set({ labels })}
          words={{ row: rulesCopy.labelRow, name: rulesCopy.label, value: rulesCopy.labelValue }}
          names={['team']}
          none={rulesCopy.noLabels}
          problem={problems.get('labels')}
        />
        <Switch
          label={rulesCopy.enabled}
          checked={draft.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        {preview.data && <PreviewResult preview={preview.data} of={draft.of} unit={unitOf(first, quantities)} />}
        <Failure title={rulesCopy.previewFailed} error={preview.error} />
        <Failure title={commonCopy.notSaved} error={save.error} />
        <Group justify="flex-end">
          <Button variant="default" loading={preview.isPending} onClick={() => preview.mutate()}>
            {rulesCopy.preview}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {rule === null ? commonCopy.add : commonCopy.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const unitOf = (first: DraftCondition | undefined, quantities: Quantities) =>
  (first === undefined ? undefined : quantities.get(first.quantity)?.unit) ?? 'I/Os'

interface MinutesProps {
  label: string
  field: 'for_min' | 'keep_firing_min' | 'no_data_after_min' | 'min_ops'
  form: ReturnType<typeof useRuleForm>
}

function Minutes({ label, field, form: { draft, set, problems } }: MinutesProps) {
  return (
    <NumberInput
      label={label}
      min={0}
      clampBehavior="none"
      allowDecimal={false}
      value={draft[field]}
      onChange={(value) => set({ [field]: value })}
      error={problems.get(field)}
    />
  )
}
