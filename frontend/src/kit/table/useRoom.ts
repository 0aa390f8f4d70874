/** How much room a table has for its columns. */

import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import { isAtLeast } from '../../lib/breakpoints'
import { type Arrangement, arrange, widthIn } from './arrange'
import type { Column } from './Column'

/** The menu and what stands around a table, in px. */
const BESIDE_PX = { phone: 34, desk: 261 }

/** Before it is measured: as if it were the only one on the page. */
export const likelyRoom = () =>
  window.innerWidth - (isAtLeast('phone', window.innerWidth) ? BESIDE_PX.desk : BESIDE_PX.phone)

export interface Arranged<Row> extends Arrangement<Column<Row>> {
  widthOf: (column: Column<Row>) => number
}

function arranged<Row>(columns: readonly Column<Row>[], room_px: number, isChosen: boolean): Arranged<Row> {
  const arrangement = arrange(columns, room_px, isChosen)
  return { ...arrangement, widthOf: widthIn(arrangement, room_px) }
}

/** Equal ones are drawn alike. */
const look = <Row>({ standing, folded, widthOf }: Arranged<Row>) =>
  [...standing.map((column) => `${column.id} ${widthOf(column)}`), '', ...folded.map(({ id }) => id)].join('\n')

/** The columns as they fit into a table, and what measures it. A table that looks as it was guessed is not drawn once more. */
export function useArranged<Row>(
  columns: readonly Column<Row>[],
  isChosen: boolean,
  onRoom: ((room_px: number) => void) | undefined,
) {
  const [room_px, setRoom] = useState(likelyRoom)
  const shown = useMemo(() => arranged(columns, room_px, isChosen), [columns, room_px, isChosen])
  const onMeasure = useMemo(() => {
    const now = look(shown)
    return (measured_px: number) => {
      if (look(arranged(columns, measured_px, isChosen)) === now) return
      setRoom(measured_px)
      onRoom?.(measured_px)
    }
  }, [shown, columns, isChosen, onRoom])
  return { ...shown, onMeasure }
}

/** Before anything is painted: no column is seen that makes way at once. */
export function useMeasured(box: RefObject<HTMLElement | null>, onMeasure: (room_px: number) => void) {
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = () => {
      if (element.clientWidth > 0) onMeasure(element.clientWidth)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, onMeasure])
}
