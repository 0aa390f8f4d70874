import { expect, it } from 'vitest'
import { ownerOf } from './ArrayHostsTable'

const UNKNOWN = { state: 'unknown', detail: null }
const REMOTE = { is_local: false, port_health: UNKNOWN, managed_by: 'flasharray-2' }

it('a host of the partner array, whose ports only that one knows, is said to be known by it', () => {
  expect(ownerOf(REMOTE)).toBe('flasharray-2')
  expect(ownerOf({ ...REMOTE, managed_by: null })).toBe('its own array')
})

it('an own host with unknown ports stays a warning, and what is known of a remote one is told', () => {
  expect(ownerOf({ ...REMOTE, is_local: true })).toBeNull()
  expect(ownerOf({ ...REMOTE, port_health: { state: 'critical', detail: 'No ports' } })).toBeNull()
})
