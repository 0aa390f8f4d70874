/** Renders the fields of a JSON Schema. A new kind of source or channel needs no front-end file. */

import { Fieldset, NativeSelect, NumberInput, PasswordInput, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import * as formsCopy from '../../copy/forms'
import { MoreSettings } from './MoreSettings'
import type { Field, Values } from './schema'

interface SchemaFormProps {
  fields: readonly Field[]
  values: Values
  onChange: (values: Values) => void
  /** Problem by field path, from the form's own check or from the server. */
  problems: ReadonlyMap<string, string>
  /** Secrets that the server already holds. */
  secretsSet: ReadonlySet<string>
  disabled?: boolean
  path?: string
  /** What helps to fill a field in; shown above it. */
  above?: (field: Field) => ReactNode
}

export function SchemaForm({
  fields,
  values,
  onChange,
  problems,
  secretsSet,
  disabled = false,
  path = '',
  above,
}: SchemaFormProps) {
  const input = (field: Field) => (
    <Fragment key={field.name}>
      {above?.(field)}
      <FieldInput
        field={field}
        at={path + field.name}
        value={values[field.name]}
        onChange={(value) => onChange({ ...values, [field.name]: value })}
        problems={problems}
        secretsSet={secretsSet}
        disabled={disabled}
      />
    </Fragment>
  )
  const more = fields.filter((field) => field.advanced)
  return (
    <Stack gap="md">
      {fields.filter((field) => !field.advanced).map(input)}
      {more.length > 0 && (
        <MoreSettings fields={more} values={values} problems={problems} secretsSet={secretsSet} path={path}>
          {more.map(input)}
        </MoreSettings>
      )}
    </Stack>
  )
}

interface FieldInputProps extends Pick<SchemaFormProps, 'problems' | 'secretsSet'> {
  field: Field
  at: string
  value: unknown
  onChange: (value: unknown) => void
  disabled: boolean
}

function FieldInput({ field, at, value, onChange, problems, secretsSet, disabled }: FieldInputProps) {
  const common = {
    label: field.title,
    description: field.description || undefined,
    error: problems.get(at),
    withAsterisk: field.required,
    disabled,
    name: at,
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  switch (field.kind) {
    case 'group':
      return (
        <Fieldset legend={field.title} disabled={disabled}>
          <SchemaForm
            fields={field.fields}
            values={(value as Values) ?? {}}
            onChange={onChange}
            problems={problems}
            secretsSet={secretsSet}
            disabled={disabled}
            path={`${at}.`}
          />
        </Fieldset>
      )
    case 'secret': {
      const isSet = secretsSet.has(at)
      return (
        <PasswordInput
          {...common}
          // Mantine marks the other inputs itself.
          aria-invalid={common.error === undefined ? undefined : true}
          withAsterisk={field.required && !isSet}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          placeholder={isSet ? formsCopy.stored : undefined}
          autoComplete="new-password"
        />
      )
    }
    case 'switch':
      return (
        <Switch
          label={field.title}
          description={common.description}
          error={common.error}
          disabled={disabled}
          name={at}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'choice':
      return (
        <NativeSelect
          {...common}
          data={field.required ? field.choices : [{ value: '', label: '–' }, ...field.choices]}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...common}
          value={text}
          onChange={onChange}
          allowDecimal={!field.whole}
          min={field.minimum ?? undefined}
          max={field.maximum ?? undefined}
          clampBehavior="none"
        />
      )
    case 'list': {
      const isSet = field.secret && secretsSet.has(at)
      return (
        <Textarea
          {...common}
          withAsterisk={field.required && !isSet}
          placeholder={isSet ? formsCopy.stored : undefined}
          spellCheck={false}
          description={[field.description, formsCopy.onePerLine].filter(Boolean).join(' ')}
          value={(Array.isArray(value) ? value : []).join('\n')}
          onChange={(event) => onChange(linesOf(event.currentTarget.value, field.whole))}
          autosize
          minRows={2}
        />
      )
    }
    case 'text': {
      const input = { ...common, value: text, spellCheck: false, autoComplete: 'off' }
      if (field.multiline) {
        return <Textarea {...input} onChange={(event) => onChange(event.currentTarget.value)} autosize minRows={3} />
      }
      return <TextInput {...input} onChange={(event) => onChange(event.currentTarget.value)} />
    }
  }
}

function linesOf(text: string, whole: boolean): (string | number)[] {
  const lines = text.split('\n')
  return whole ? lines.filter((line) => line.trim() !== '').map(Number) : lines
}
