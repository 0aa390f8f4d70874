/** What an object's page is made of: a list of sections, each on one tab. */

import type { ReactNode } from 'react'
import type { DiagnosisWindow } from '../../api/diagnoses'
import type { EntityKind, EntityTypes } from '../../api/queries'
import * as objectsCopy from '../../copy/objects'
import type { TabId } from '../parameters'

export interface SectionContext<Kind extends EntityKind = EntityKind> {
  kind: Kind
  id: number
  name: string
  one: EntityTypes[Kind]['one']
  /** What the diagnosis is about; null: the newest minutes. */
  window: DiagnosisWindow
  /** The newest minutes are shown: so may be counters of the last one. */
  isLive: boolean
}

/** Of twelve columns on a wide screen; what stands alone in its row takes all of it. */
export type Width = 5 | 7 | 12

export interface Section<Kind extends EntityKind = EntityKind> {
  id: string
  title: string
  tab: TabId
  /** Left out: the whole row. */
  width?: Width
  /** Below what pages of all kinds have on this tab, and not before it. */
  isLast?: boolean
  applies?: (context: SectionContext<Kind>) => boolean
  render: (context: SectionContext<Kind>) => ReactNode
}

/** Sections side by side, as far as they fit: the last of a row that is not full takes the rest of it. */
export function widthsInRows(widths: readonly Width[]): number[] {
  const placed: number[] = []
  let taken = 0
  for (const [index, width] of widths.entries()) {
    const next = widths[index + 1]
    const end = taken + width
    const isLast = next === undefined || end + next > 12
    placed.push(isLast ? 12 - taken : width)
    taken = isLast ? 0 : end
  }
  return placed
}

/** What tables with counters of the last minute say beside their title: they have these only where the newest minutes are shown. */
export const lastMinute = (isLive: boolean): string | undefined => (isLive ? objectsCopy.lastMinute : undefined)
