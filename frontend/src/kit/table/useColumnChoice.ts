/** The columns of a table as its viewer chose them: kept in the browser for each table, and carried by a link that names them. */

import { useCallback, useMemo, useState } from 'react'
import { COLUMNS } from '../../lib/parameters'
import { useStoredText } from '../../lib/preferences'
import { useParameter } from '../../lib/url'
import { arrange } from './arrange'
import type { Column } from './Column'
import { choiceText, chosenColumns, offered, parseChoice } from './columnChoice'
import { likelyRoom } from './useRoom'

export interface Choice {
  /** Ids of the columns that the table shows, beside each other or folded. */
  ids: readonly string[]
  /** Every column that can be hidden, those that are shown first. */
  offered: readonly { id: string; header: string }[]
  choose: (ids: readonly string[]) => void
  reset: () => void
  /** Puts the choice into the address. */
  share: () => void
}

interface ColumnChoice<Row> extends Choice {
  /** For the table: what it may show, in its order; whether somebody chose it; and where it says how much room it has. */
  table: { columns: readonly Column<Row>[]; isChosen: boolean; onRoom: (room_px: number) => void }
}

/** `table`: its name in the browser's storage. */
export function useColumnChoice<Row>(table: string, columns: readonly Column<Row>[]): ColumnChoice<Row> {
  const [linked, setLinked] = useParameter(COLUMNS)
  const [stored, setStored] = useStoredText(`gavel.columns.${table}`)
  const [room_px, setRoom] = useState(likelyRoom)
  const text = linked === '' ? stored : linked
  const isChosen = text !== ''
  const possible = useMemo(
    () => (isChosen ? chosenColumns(columns, parseChoice(text)) : columns),
    [isChosen, columns, text],
  )
  const ids = useMemo(() => {
    const { standing, folded } = arrange(possible, room_px, isChosen)
    return possible.filter((column) => standing.includes(column) || folded.includes(column)).map(({ id }) => id)
  }, [possible, room_px, isChosen])

  const keep = useCallback(
    (next: string) => {
      setStored(next)
      if (linked !== '') setLinked('', { replace: true })
    },
    [setStored, setLinked, linked],
  )
  return {
    table: { columns: possible, isChosen, onRoom: setRoom },
    ids,
    offered: useMemo(() => offered(columns, ids), [columns, ids]),
    choose: (next) => keep(choiceText(next)),
    reset: () => keep(''),
    share: () => setLinked(choiceText(ids), { replace: true }),
  }
}
