import { expect, it } from 'vitest'
import { DESK_SCREENS, overhang, shownOn } from '../../testing/tableWidth'
import { datastoreColumns } from './DatastoresPage'

it.each(DESK_SCREENS)('the list needs no second line on a screen of %i px, and its age is in sight', (screen_px) => {
  const { standing, folded } = shownOn(datastoreColumns(1), screen_px)
  expect(folded).toEqual([])
  expect(standing.at(-1)).toBe('age')
  expect(overhang(datastoreColumns(1), screen_px)).toBe(0)
})
