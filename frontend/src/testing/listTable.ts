/** What the table of every list holds, whatever its kind. */

import { expect, it } from 'vitest'
import type { OverviewRow } from '../api/types'
import { listColumns } from '../domain/lists/listColumns'
import type { Column } from '../kit/table/Column'
import { DESK_SCREENS, overhang, shownOn } from './tableWidth'

/** Tests of a list whose kind has the columns `own`. */
export function holdsAsList<Row extends { standing: OverviewRow }>(own: readonly Column<Row>[]): void {
  const columns = (isLive = true) => listColumns('', own, { max_us: 1, alertsAt: () => [], isLive })

  it.each(DESK_SCREENS)('the list is the overview’s table on a screen of %i px, in one line', (screen_px) => {
    const { standing, folded } = shownOn(columns(), screen_px)
    expect(folded).toEqual([])
    expect(overhang(columns(), screen_px)).toBe(0)
    expect(standing.slice(0, 3)).toEqual(['name', 'diagnosis', 'sentence'])
    const always = ['latency', 'excess', 'excess_outstanding']
    const wide = screen_px < 1440 ? [] : ['layers', 'trend', 'owner']
    expect(standing).toEqual(expect.arrayContaining([...always, ...wide]))
  })

  it('the newest minute is no part of a list about another time', () => {
    const ids = (isLive: boolean) => columns(isLive).map(({ id }) => id)
    expect(ids(true)).toContain('age')
    expect(ids(false).filter((id) => ['bars', 'gavg', 'array', 'age'].includes(id))).toEqual([])
    expect(new Set(ids(true)).size).toBe(ids(true).length)
  })
}
