/** A JSON Schema of the API as a list of form fields. Covers what pydantic writes for settings: flat or nested objects, choices, lists, secrets. */
import * as formsCopy from '../../copy/forms'

export type JsonSchema = { [key: string]: unknown }

interface FieldBase {
  name: string
  title: string
  description: string
  required: boolean
  nullable: boolean
  initial: unknown
  /** The schema's own word for what the text is, beyond what JSON Schema knows. */
  format: string | null
  /** Few have to think about it. */
  advanced: boolean
  /** It says where secrets are sent: when it changes, stored ones have to be entered again. */
  destination: boolean
}

export type Field = FieldBase &
  (
    | { kind: 'text'; minLength: number; maxLength: number | null; pattern: string | null; multiline: boolean }
    | { kind: 'secret'; minLength: number }
    | { kind: 'number'; whole: boolean; minimum: number | null; maximum: number | null }
    | { kind: 'switch' }
    | { kind: 'choice'; choices: { value: string; label: string }[] }
    | { kind: 'list'; whole: boolean; secret: boolean }
    | { kind: 'group'; fields: Field[] }
  )

export type Values = Record<string, unknown>

export class UnreadableSchema extends Error {
  override readonly name = 'UnreadableSchema'
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asText = (value: unknown) => (typeof value === 'string' ? value : null)
const asNumber = (value: unknown) => (typeof value === 'number' ? value : null)

/** The fields of an object schema: what must be given first, what few think about last, else in the schema's own order. */
export function fieldsOf(schema: JsonSchema, root: JsonSchema = schema): Field[] {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const fields = Object.entries(properties)
    .filter(([, property]) => isObject(property) && !('const' in property))
    .map(([name, property]) => fieldOf(name, property as JsonSchema, required.has(name), root))
  const rank = (field: Field) => (field.required ? 0 : field.advanced ? 2 : 1)
  return fields.toSorted((one, other) => rank(one) - rank(other))
}

function fieldOf(name: string, property: JsonSchema, required: boolean, root: JsonSchema): Field {
  const { schema, nullable } = resolved(property, root)
  const base: FieldBase = {
    name,
    title: asText(schema.title) ?? humanName(name),
    description: asText(schema.description) ?? '',
    required,
    nullable,
    initial: schema.default ?? null,
    format: asText(schema.format),
    // What must be given is never folded away.
    advanced: schema.advanced === true && !required,
    destination: schema.destination === true,
  }
  const choices = choicesOf(schema)
  if (choices) return { ...base, kind: 'choice', choices }
  if (schema.writeOnly === true || schema.format === 'password')
    return { ...base, kind: 'secret', minLength: asNumber(schema.minLength) ?? 0 }
  return { ...base, ...kindOf(schema, root, name) } as Field
}

function kindOf(schema: JsonSchema, root: JsonSchema, name: string) {
  switch (schema.type) {
    case 'string':
      return {
        kind: 'text',
        minLength: asNumber(schema.minLength) ?? 0,
        maxLength: asNumber(schema.maxLength),
        pattern: asText(schema.pattern),
        multiline: schema.format === 'multiline' || schema.contentMediaType !== undefined,
      }
    case 'integer':
    case 'number':
      return { kind: 'number', whole: schema.type === 'integer', ...limitsOf(schema) }
    case 'boolean':
      return { kind: 'switch' }
    case 'array':
      return { kind: 'list', ...listOf(isObject(schema.items) ? schema.items : {}) }
    case 'object':
      return { kind: 'group', fields: fieldsOf(schema, root) }
    default:
      throw new UnreadableSchema(formsCopy.unknownType(name, String(schema.type)))
  }
}

const listOf = (items: JsonSchema) => ({ whole: items.type === 'integer', secret: items.writeOnly === true })

function limitsOf(schema: JsonSchema) {
  return {
    minimum: asNumber(schema.minimum) ?? asNumber(schema.exclusiveMinimum),
    maximum: asNumber(schema.maximum) ?? asNumber(schema.exclusiveMaximum),
  }
}

/** Follows references and takes the "or null" off an optional setting; what the property itself says wins. */
function resolved(property: JsonSchema, root: JsonSchema): { schema: JsonSchema; nullable: boolean } {
  const alternatives = property.anyOf ?? property.oneOf ?? property.allOf
  if (Array.isArray(alternatives)) {
    const nullable = alternatives.some((one) => isObject(one) && one.type === 'null')
    const inner = alternatives.find((one) => isObject(one) && one.type !== 'null')
    const { anyOf, oneOf, allOf, ...own } = property
    return { schema: { ...(isObject(inner) ? resolved(inner, root).schema : {}), ...own }, nullable }
  }
  if (typeof property.$ref === 'string') {
    const { $ref, ...own } = property
    return { schema: { ...resolved(follow(property.$ref, root), root).schema, ...own }, nullable: false }
  }
  return { schema: property, nullable: false }
}

function follow(reference: string, root: JsonSchema): JsonSchema {
  const steps = reference.replace(/^#\//, '').split('/')
  const found = steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), root)
  if (!isObject(found)) throw new UnreadableSchema(formsCopy.missingReference(reference))
  return found
}

function choicesOf(schema: JsonSchema): { value: string; label: string }[] | null {
  if (!Array.isArray(schema.enum)) return null
  return schema.enum.map((value) => ({ value: String(value), label: humanName(String(value)) }))
}

/** "ca_file" → "Ca file": only for schemas without a title. */
function humanName(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What the form starts with: the stored settings, else the schema's defaults. Secrets are never known here. */
export function initialValues(fields: readonly Field[], settings: Values = {}): Values {
  return Object.fromEntries(
    fields.map((field) => {
      if (field.kind === 'secret') return [field.name, '']
      const stored = field.kind === 'list' && field.secret ? undefined : settings[field.name]
      if (field.kind === 'group') return [field.name, initialValues(field.fields, isObject(stored) ? stored : {})]
      return [
        field.name,
        stored ?? field.initial ?? (field.kind === 'switch' ? false : field.kind === 'list' ? [] : ''),
      ]
    }),
  )
}

/** Whether a field holds what the form of a new thing starts with. A stored secret is something of its own. */
export function isAsGiven(field: Field, value: unknown, isSet: boolean): boolean {
  return !isSet && JSON.stringify(value) === JSON.stringify(initialValues([field])[field.name])
}

/** Problems that can be seen without asking the server, by field path. `secretsSet`: secrets that may be left out. */
export function problemsOf(
  fields: readonly Field[],
  values: Values,
  secretsSet: ReadonlySet<string>,
  path = '',
): Map<string, string> {
  const problems = new Map<string, string>()
  for (const field of fields) {
    const at = path + field.name
    const value = values[field.name]
    if (field.kind === 'group') {
      for (const [key, problem] of problemsOf(field.fields, (value as Values) ?? {}, secretsSet, `${at}.`))
        problems.set(key, problem)
      continue
    }
    const problem = problemOf(field, value, secretsSet.has(at))
    if (problem !== null) problems.set(at, problem)
  }
  return problems
}

function problemOf(field: Field, value: unknown, isSet: boolean): string | null {
  const isEmpty =
    value === '' || value === null || value === undefined || (isList(value) && linesIn(value).length === 0)
  if (isEmpty && (!field.required || (isSecret(field) && isSet))) return null
  if (isEmpty) return field.kind === 'list' ? formsCopy.listRequired(field.title) : formsCopy.required(field.title)
  if (field.kind === 'number') return numberProblem(field, value)
  if (field.kind !== 'text' && field.kind !== 'secret') return null
  const text = String(value)
  if (text.length < field.minLength) return formsCopy.tooShort(field.title, field.minLength)
  if (field.kind === 'text' && field.maxLength !== null && text.length > field.maxLength) {
    return formsCopy.tooLong(field.title, field.maxLength)
  }
  return null
}

const isSecret = (field: Field) => field.kind === 'secret' || (field.kind === 'list' && field.secret)
const isList = (value: unknown): value is unknown[] => Array.isArray(value)

/** What was really written: an empty line is no entry. */
const linesIn = (value: readonly unknown[]) =>
  value.flatMap((line) => (typeof line !== 'string' ? [line] : line.trim() === '' ? [] : [line.trim()]))

function numberProblem(field: Field & { kind: 'number' }, value: unknown): string | null {
  const number = Number(value)
  if (!Number.isFinite(number) || (field.whole && !Number.isInteger(number))) {
    return formsCopy.number(field.title, field.whole ? formsCopy.whole : '')
  }
  if (field.minimum !== null && number < field.minimum) return formsCopy.atLeast(field.title, field.minimum)
  if (field.maximum !== null && number > field.maximum) return formsCopy.atMost(field.title, field.maximum)
  return null
}

/** The settings to send. A secret left empty is left out, so that the stored one stays; other empty fields are null or left out. */
export function settingsOf(fields: readonly Field[], values: Values): Values {
  const settings: Values = {}
  for (const field of fields) {
    const value = values[field.name]
    if (field.kind === 'group') settings[field.name] = settingsOf(field.fields, (value as Values) ?? {})
    else if (isList(value)) {
      const lines = linesIn(value)
      if (lines.length > 0 || !isSecret(field)) settings[field.name] = lines
    } else if (value === '' || value === null || value === undefined) {
      if (field.kind !== 'secret' && field.nullable) settings[field.name] = null
    } else settings[field.name] = field.kind === 'number' ? Number(value) : value
  }
  return settings
}
