import { expect, it } from 'vitest'
import { spareWidth, WIDE_SCREENS } from '../../testing/tableWidth'
import { arrayColumns } from './ArraysPage'

it.each(WIDE_SCREENS)('all columns of the list, down to its age, are on a screen of %i px', (screen) => {
  expect(spareWidth(arrayColumns(1), screen)).toBeGreaterThanOrEqual(0)
})
