import { expect, it } from 'vitest'
import { ownerOf } from './ArrayHostsTable'

const REMOTE = { name: 'flasharray-2:esx-01', is_local: false, port_health: 'unknown: Unknown' }

it('a host of the partner array, whose ports only that one knows, is said to be known by it', () => {
  expect(ownerOf(REMOTE)).toBe('flasharray-2')
  expect(ownerOf({ ...REMOTE, name: 'esx-01' })).toBe('its own array')
})

it('an own host with unknown ports stays a warning, and what is known of a remote one is told', () => {
  expect(ownerOf({ ...REMOTE, is_local: true })).toBeNull()
  expect(ownerOf({ ...REMOTE, port_health: 'critical: No ports' })).toBeNull()
})
