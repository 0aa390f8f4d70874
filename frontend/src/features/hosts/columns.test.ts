import { expect, it } from 'vitest'
import { DESK_SCREENS, overhang, shownOn } from '../../testing/tableWidth'
import { hostColumns } from './HostsPage'

it.each(DESK_SCREENS)('the list needs no second line on a screen of %i px, and its age is in sight', (screen_px) => {
  const { standing, folded } = shownOn(hostColumns(1), screen_px)
  expect(folded).toEqual([])
  expect(standing.at(-1)).toBe('age')
  expect(overhang(hostColumns(1), screen_px)).toBe(0)
})
