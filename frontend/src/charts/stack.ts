/** The lines of charts that stack the layers of an I/O's path: a band for each part, and their total. Pure. */

import * as commonCopy from '../copy/common'
import type { PanelLine } from './panels'
import type { Look } from './segments'

interface LineOf {
  panel: string
  key: string
  label: string
  direction: PanelLine['direction']
  unit: PanelLine['unit']
  values: PanelLine['values']
  /** Where the same key stands in several panels of other units; left out: its key. */
  row?: string
}

/** A thin line in gray: what draws it says how it looks. */
export function plainLine({ panel, key, label, direction, unit, values, row = key }: LineOf): PanelLine {
  return {
    id: `${panel}.${key}`,
    key,
    row,
    label,
    legend: label,
    side: 'host',
    shape: 'line',
    stroke: 'solid',
    color: { ink: 'gap' },
    direction,
    unit,
    precision: null,
    values,
  }
}

/** One part of the stack, as its layers look everywhere. */
export const bandLine = (of: LineOf, look: Look): PanelLine => ({ ...plainLine(of), shape: 'band', ...look })

/** What the bands add up to, over them. */
export const totalLine = (of: Omit<LineOf, 'key' | 'label'>): PanelLine => ({
  ...plainLine({ ...of, key: 'total', label: commonCopy.total }),
  color: { ink: 'total' },
  width: 1.75,
})
