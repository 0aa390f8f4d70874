import { expect, it } from 'vitest'
import { fieldsOf } from '../../kit/form/schema'
import { isElsewhere } from './trust'

const FIELDS = fieldsOf({
  properties: {
    host: { type: 'string', destination: true },
    port: { type: 'integer', destination: true },
    pin: { anyOf: [{ type: 'string' }, { type: 'null' }], destination: true },
    interval: { type: 'integer' },
  },
})
const STORED = { host: 'fa-west', port: 443, interval: 30 }
const ENTERED = { host: 'fa-west', port: 443, pin: '', interval: 60 }

it('stored secrets stay where only other settings changed', () => {
  expect(isElsewhere(FIELDS, ENTERED, STORED)).toBe(false)
})

it.each([{ host: 'fa-east' }, { port: 8443 }, { pin: 'ab' }, { host: '' }])(
  'stored secrets would go elsewhere with another destination: %o',
  (changed) => {
    expect(isElsewhere(FIELDS, { ...ENTERED, ...changed }, STORED)).toBe(true)
  },
)
