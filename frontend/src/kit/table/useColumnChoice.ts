/** The columns of a table as its viewer chose them: kept in the browser for each table, and carried by a link that names them. */

import { useCallback, useMemo } from 'react'
import { COLUMNS } from '../../lib/parameters'
import { useScreenStep, useStoredText } from '../../lib/preferences'
import { useParameter } from '../../lib/url'
import { choiceText, chosenColumns, defaultIds, offered, parseChoice } from './columnChoice'
import type { Column } from './VirtualTable'

export interface Choice {
  /** Ids of the columns that this screen shows. */
  ids: readonly string[]
  /** Every column that can be hidden, those that are shown first. */
  offered: readonly { id: string; header: string }[]
  /** On phones a row has its compact form. */
  isPossible: boolean
  choose: (ids: readonly string[]) => void
  reset: () => void
  /** Puts the choice into the address. */
  share: () => void
}

interface ColumnChoice<Row> extends Choice {
  /** What the table shows, in its order. */
  columns: readonly Column<Row>[]
}

/** `table`: its name in the browser's storage. */
export function useColumnChoice<Row>(table: string, columns: readonly Column<Row>[]): ColumnChoice<Row> {
  const [linked, setLinked] = useParameter(COLUMNS)
  const [stored, setStored] = useStoredText(`gavel.columns.${table}`)
  const screen_px = useScreenStep()
  const text = linked === '' ? stored : linked
  const isPossible = screen_px > 0
  const isChosen = isPossible && text !== ''
  const shown = useMemo(
    () => (isChosen ? chosenColumns(columns, parseChoice(text)) : columns),
    [isChosen, columns, text],
  )
  const ids = useMemo(() => defaultIds(shown, screen_px), [shown, screen_px])

  const keep = useCallback(
    (next: string) => {
      setStored(next)
      if (linked !== '') setLinked('', { replace: true })
    },
    [setStored, setLinked, linked],
  )
  return {
    columns: shown,
    ids,
    offered: useMemo(() => offered(columns, ids), [columns, ids]),
    isPossible,
    choose: (next) => keep(choiceText(next)),
    reset: () => keep(''),
    share: () => setLinked(choiceText(ids), { replace: true }),
  }
}
