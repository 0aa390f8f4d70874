import { describe, expect, it } from 'vitest'
import { fieldsOf, initialValues, isAsGiven, problemsOf, settingsOf, UnreadableSchema } from './schema'

// The shape that pydantic writes for a settings model.
const SCHEMA = {
  type: 'object',
  required: ['address', 'api_token'],
  $defs: {
    Tls: {
      type: 'object',
      title: 'TLS',
      properties: {
        ca_file: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'CA file' },
        verify: { $ref: '#/$defs/Verify', default: 'system' },
      },
    },
    Verify: { type: 'string', enum: ['system', 'pin', 'ca_file'] },
  },
  properties: {
    kind: { const: 'flasharray', default: 'flasharray', type: 'string' },
    address: { type: 'string', title: 'Address', description: 'Host name or IP address', minLength: 1, maxLength: 300 },
    api_token: { type: 'string', format: 'password', writeOnly: true, title: 'API token' },
    interval_s: { type: 'integer', minimum: 20, maximum: 300, default: 30, title: 'Interval (s)' },
    balance: { type: 'boolean', default: true },
    skip: { type: 'array', items: { type: 'string' }, default: [] },
    tls: { $ref: '#/$defs/Tls' },
  },
}

describe('a form made from the API’s JSON Schema', () => {
  const fields = fieldsOf(SCHEMA)

  it('has one field per setting, in order, without constants', () => {
    expect(fields.map((field) => [field.name, field.kind])).toEqual([
      ['address', 'text'],
      ['api_token', 'secret'],
      ['interval_s', 'number'],
      ['balance', 'switch'],
      ['skip', 'list'],
      ['tls', 'group'],
    ])
  })

  it('follows references and optional settings', () => {
    const tls = fields.find((field) => field.name === 'tls')
    expect(
      tls?.kind === 'group' && tls.fields.map((field) => [field.name, field.kind, field.nullable, field.initial]),
    ).toEqual([
      ['ca_file', 'text', true, null],
      ['verify', 'choice', false, 'system'],
    ])
  })

  it('never puts a stored secret into the form and leaves an untouched one out of what is sent', () => {
    const values = initialValues(fields, { address: 'fa-1', api_token: 'leaked', interval_s: 60 })
    expect(values.api_token).toBe('')
    expect(settingsOf(fields, values)).toEqual({
      address: 'fa-1',
      interval_s: 60,
      balance: true,
      skip: [],
      tls: { ca_file: null, verify: 'system' },
    })
    expect(settingsOf(fields, { ...values, api_token: 'new' }).api_token).toBe('new')
  })

  it('asks for a secret only where none is stored', () => {
    const values = initialValues(fields, { address: 'fa-1' })
    expect(problemsOf(fields, values, new Set()).get('api_token')).toBe('API token is required.')
    expect(problemsOf(fields, values, new Set(['api_token'])).size).toBe(0)
  })

  it('keeps a list of secrets as secret as one, and takes no empty line for an entry', () => {
    const whsec = { type: 'array', title: 'Keys', items: { type: 'string', writeOnly: true } }
    const [keys, ...rest] = fieldsOf({ required: ['keys'], properties: { keys: whsec } })
    if (keys === undefined || rest.length > 0) throw new Error('one field was asked for')
    const values = initialValues([keys], { keys: ['leaked'] })
    expect(values).toEqual({ keys: [] })
    expect(settingsOf([keys], values)).toEqual({})
    expect(problemsOf([keys], { keys: ['', ' '] }, new Set()).get('keys')).toBe('Keys: enter at least one.')
    expect(problemsOf([keys], values, new Set(['keys'])).size).toBe(0)
    expect(settingsOf([keys], { keys: ['a ', '', 'b'] })).toEqual({ keys: ['a', 'b'] })
  })

  it('sees numbers out of range before the server does', () => {
    const values = { ...initialValues(fields, { address: 'fa-1' }), api_token: 'x', interval_s: 5 }
    expect(problemsOf(fields, values, new Set()).get('interval_s')).toBe('Interval (s) is at least 20.')
  })

  it('puts what must be given first and what few think about last', () => {
    const text = (advanced?: boolean) => ({ type: 'string', ...(advanced === undefined ? {} : { advanced }) })
    const shuffled = fieldsOf({
      required: ['token', 'odd'],
      properties: { ca: text(true), pin: text(), odd: text(true), token: text(), limit: text(true) },
    })
    expect(shuffled.map(({ name, advanced }) => [name, advanced])).toEqual([
      ['odd', false],
      ['token', false],
      ['pin', false],
      ['ca', true],
      ['limit', true],
    ])
  })

  it('knows what was changed from what the form began with', () => {
    const changed = (settings: Record<string, unknown>, set: string[] = []) =>
      fields
        .filter((field) => !isAsGiven(field, initialValues(fields, settings)[field.name], set.includes(field.name)))
        .map(({ name }) => name)
    expect(changed({})).toEqual([])
    expect(changed({ interval_s: 30, skip: [], tls: { ca_file: null, verify: 'system' } })).toEqual([])
    expect(changed({ interval_s: 60, balance: false, tls: { verify: 'pin' } })).toEqual([
      'interval_s',
      'balance',
      'tls',
    ])
    expect(changed({}, ['api_token'])).toEqual(['api_token'])
  })

  it('refuses a schema that it cannot show instead of losing a setting', () => {
    expect(() => fieldsOf({ properties: { odd: { type: 'tuple' } } })).toThrow(UnreadableSchema)
    expect(() => fieldsOf({ properties: { odd: { $ref: '#/$defs/Gone' } } })).toThrow('#/$defs/Gone')
  })
})
