import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Kept } from '../../api/types'
import { storageColumns, summaryOf } from './StorageCard'

const SAMPLES: Kept = {
  grain: 'samples',
  keep_days: 14,
  setting: 'GAVEL_KEEP_SAMPLES',
  is_default: false,
  since: '2026-11-10T06:00:00Z',
  bytes: 18_000_000_000,
  bytes_a_day: 1_300_000_000,
  full_bytes: 18_200_000_000,
}
const HOURS: Kept = {
  grain: 'hours',
  keep_days: 400,
  setting: 'GAVEL_KEEP_HOURS',
  is_default: true,
  since: null,
  bytes: 40_960,
  bytes_a_day: null,
  full_bytes: null,
}

function shown(row: Kept) {
  const cells = storageColumns('utc').map(({ id, header, cell }) => (
    <p key={id}>
      {header}: {cell(row)}
    </p>
  ))
  return [...render(cells).container.children].map((line) => line.textContent)
}

it('storage of a grain is its days, its size, its growth and its size when full', () => {
  expect(shown(SAMPLES)).toEqual([
    'Data: Samples',
    'Kept for: 14 days',
    'Setting: GAVEL_KEEP_SAMPLES',
    'Size: 18 GB',
    'Growth per day: 1.30 GB',
    'Size when full: 18.2 GB',
    'Oldest data: 10 Nov, 06:00',
  ])
})

// Of no sources yet, or of one that was added today.
it('storage without a whole day has a size and no growth', () => {
  expect(shown(HOURS)).toEqual([
    'Data: Hourly sums',
    'Kept for: 400 days',
    'Setting: GAVEL_KEEP_HOURS default',
    'Size: 41.0 kB',
    'Growth per day: after one day',
    'Size when full: after one day',
    'Oldest data: none yet',
  ])
})

it('storage of all grains is summed up, when full only once every grain has its growth', () => {
  expect(summaryOf([SAMPLES, SAMPLES])).toBe('36 GB, 36.4 GB when full')
  expect(summaryOf([SAMPLES, HOURS])).toBe('18.0 GB')
})
