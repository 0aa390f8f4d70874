import { expect, test } from 'vitest'
import { browserNow, serverNow } from './clock'
import { offlineOf } from './offline'
import { presetLabel } from './range'

const ENVIRONMENT = {
  name: 'site-a',
  from_at: '2026-11-20T09:00:00+00:00',
  to_at: '2026-11-20T10:00:00+00:00',
  files: ['esx-01.csv (esx-01)'],
  notes: [],
  live_path: '/',
}

test('offline environment is read from the page, and live pages have none', () => {
  expect(offlineOf({ dataset: {} })).toBeNull()
  expect(offlineOf({ dataset: { offline: JSON.stringify(ENVIRONMENT) } })).toEqual(ENVIRONMENT)
})

test('offline clock stands at the end of the files, whatever the browser says', () => {
  expect(serverNow(ENVIRONMENT)).toBe(Date.parse('2026-11-20T10:00:00Z'))
  expect(serverNow(null)).toBe(browserNow())
})

test('offline windows are not called live', () => {
  expect(presetLabel('5m', ENVIRONMENT)).toBe('Last 5 minutes')
  expect(presetLabel('5m', null)).toBe('Live · last 5 min')
})
