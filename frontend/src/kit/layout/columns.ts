/** Widths of a grid's columns, for the shared classes `columns` and `tiles`. */

import type { CSSProperties } from 'react'

/** The columns of `columns`, as CSS writes them; `phone`: where a phone has others. */
export const columnWidths = (desk: string, phone = desk) =>
  ({ '--columns': desk, '--phone-columns': phone }) as CSSProperties

/** As many equal columns as fit: the least width of each, for `tiles` (which leave empty columns empty) and `fitted` (which share their room). */
export const leastWidth = (least_px: number) => ({ '--least': `${least_px}px` }) as CSSProperties
