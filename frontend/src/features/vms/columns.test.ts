import { expect, it } from 'vitest'
import { fittedSpareWidth, NARROWER_SCREENS, spareWidth, WIDE_SCREENS } from '../../testing/tableWidth'
import { vmColumns } from './VmsPage'

it.each(WIDE_SCREENS)('all columns of the list, down to its age, are on a screen of %i px', (screen) => {
  expect(spareWidth(vmColumns(1), screen)).toBeGreaterThanOrEqual(0)
})

it.each(NARROWER_SCREENS)('on %i px some columns make way, and the age is on the screen', (screen) => {
  expect(fittedSpareWidth(vmColumns(1), screen)).toBeGreaterThanOrEqual(0)
})
