/** A table of any length: only the rows in sight exist, the heading stays, sorting is the server's. */

import { Skeleton } from '@mantine/core'
import { createColumnHelper, rowSortingFeature, tableFeatures, useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, memo, type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react'
import * as commonCopy from '../../copy/common'
import type { Column } from './Column'
import { FoldedCell } from './FoldedCell'
import { SortChoice } from './SortChoice'
import { parseSort, type SortState, sortText } from './sort'
import { type Arranged, useArranged, useMeasured } from './useRoom'
import styles from './VirtualTable.module.css'

interface VirtualTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  count: number
  /** The row at a position, or undefined while it is still being read. */
  rowAt: (index: number) => Row | undefined
  sort?: string
  onSort?: (sort: string) => void
  /** Told which positions are in sight, so that their pages can be read. */
  onWindow?: (first: number, last: number) => void
  /** Takes all the height its parent gives. */
  fill?: boolean
  /** As tall as all its rows: for so few of them that the page itself scrolls through them. */
  whole?: boolean
  /** Height of every row in px, where its cells need more than one line and no column is folded. */
  rowPx?: number
  /** Cells take the lines they need, cut nothing, and rows are as high as the highest of them: of a few rows at most. */
  wraps?: boolean
  /** Above the rows, where a column is folded. */
  foldedNote?: ReactNode
  /** Somebody chose just these columns: none is left out. */
  isChosen?: boolean
  /** Told how wide the table is, where its columns stand otherwise than was guessed. */
  onRoom?: (room_px: number) => void
  /** What a row is about, where rows come and go above it: the focus then stays with the thing and not with the place. */
  rowKey?: (row: Row) => string
}

interface Slot<Row> {
  index: number
  row: Row | undefined
}

const features = tableFeatures({ rowSortingFeature })
const ROW_PX = 40
/** As high as a table gets that does not fill its page. */
const HIGHEST_PX = 560
/** Of a folded row before it is measured: whose it is, and so many parts in each line below. */
const FOLDED_PX = { name: 42, line: 20, parts: 2 }

/** Drawn anew only for other rows, columns or order. */
export const VirtualTable = memo(ArrangedTable) as typeof ArrangedTable

/** Rows stand where their height puts them: those of another height are another table. */
function ArrangedTable<Row>(props: VirtualTableProps<Row>) {
  const { columns, rowPx = ROW_PX, wraps = false, isChosen = false, onRoom } = props
  const arranged = useArranged(columns, isChosen, onRoom)
  const lines = Math.ceil(arranged.folded.length / FOLDED_PX.parts)
  const likely_px = lines === 0 ? rowPx : FOLDED_PX.name + lines * FOLDED_PX.line
  const least_px = lines === 0 ? rowPx : ROW_PX
  return (
    <TableOfHeight
      key={likely_px}
      {...props}
      arranged={arranged}
      rowPx={least_px}
      likely_px={likely_px}
      isWrapped={wraps || lines > 0}
    />
  )
}

interface OfHeight<Row> extends VirtualTableProps<Row> {
  arranged: Arranged<Row> & { onMeasure: (room_px: number) => void }
  /** The least height of a row, and that of one that is not measured yet. */
  rowPx: number
  likely_px: number
  isWrapped: boolean
}

function TableOfHeight<Row>(props: OfHeight<Row>) {
  const {
    label,
    count,
    rowAt,
    sort = '',
    onSort,
    onWindow,
    fill = false,
    whole = false,
    rowPx,
    likely_px,
    rowKey,
    foldedNote,
    isWrapped,
    arranged: { standing, folded, widthOf, onMeasure },
  } = props
  const scroll = useRef<HTMLDivElement>(null)
  const frame = useHiddenParts(scroll)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => likely_px,
    measureElement: (row) => Math.max(rowPx, row.getBoundingClientRect().height),
    // Rows are drawn with their table and not once more when its height is known.
    initialRect: { width: 0, height: HIGHEST_PX },
    overscan: 8,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0
  useMeasured(scroll, onMeasure)
  const sorting = parseSort(sort)

  useEffect(() => onWindow?.(first, last), [onWindow, first, last])

  const table = useTable({
    features,
    columns: useColumnDefinitions(standing, folded),
    data: items.map((item): Slot<Row> => ({ index: item.index, row: rowAt(item.index) })),
    getRowId: ({ index, row }) => (row === undefined || rowKey === undefined ? String(index) : rowKey(row)),
    manualSorting: true,
    state: { sorting: sorting ? [sorting] : [] },
  })

  const least_px = standing.reduce((sum, column) => sum + widthOf(column), 0)
  const grows = (column: Column<Row>, index: number) => column.grow || (index === 0 && folded.length > 0)
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div ref={frame} className={`${styles.frame} column narrow relative ${fill ? styles.frameFill : ''}`}>
      {folded.length > 0 && foldedNote}
      {onSort !== undefined && folded.some(({ sortKey }) => sortKey !== undefined) && (
        <SortChoice columns={[...standing, ...folded]} sort={sort} onSort={onSort} />
      )}
      <section
        ref={scroll}
        className={`${styles.scroll} ${fill ? styles.fill : ''} ${whole ? styles.whole : ''}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        aria-label={commonCopy.scrolls(label)}
      >
        <table
          className={`${styles.table} ${isWrapped ? styles.wrapped : ''}`}
          aria-label={label}
          aria-rowcount={count + 1}
          style={{ minWidth: least_px, '--gv-row': `${rowPx}px` } as CSSProperties}
        >
          <colgroup>
            {standing.map((column, index) => (
              <col key={column.id} style={grows(column, index) ? undefined : { width: widthOf(column) }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {standing.map((column) => (
                <HeadCell key={column.id} column={column} sorting={sorting} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer height={before} columns={standing.length} />
            {table.getRowModel().rows.map((row) => (
              <tr
                key={row.id}
                aria-rowindex={row.original.index + 2}
                data-index={row.original.index}
                ref={isWrapped ? virtual.measureElement : undefined}
              >
                {row.getAllCells().map((cell) => (
                  <td key={cell.id} className={alignClass(standing, cell.column.id)}>
                    <table.FlexRender cell={cell} />
                  </td>
                ))}
              </tr>
            ))}
            <Spacer height={after} columns={standing.length} />
          </tbody>
        </table>
      </section>
      <span className={styles.ring} aria-hidden="true" />
    </div>
  )
}

function useColumnDefinitions<Row>(standing: readonly Column<Row>[], folded: readonly Column<Row>[]) {
  return useMemo(() => {
    const helper = createColumnHelper<typeof features, Slot<Row>>()
    const cellOf = (column: Column<Row>, index: number, row: Row) =>
      index === 0 && folded.length > 0 ? <FoldedCell row={row} subject={column} folded={folded} /> : column.cell(row)
    return standing.map((column, index) =>
      helper.display({
        id: column.id,
        header: column.header,
        cell: ({ row: { original } }) =>
          original.row === undefined ? <Skeleton height={12} width="70%" /> : cellOf(column, index, original.row),
      }),
    )
  }, [standing, folded])
}

/** Marks the frame where the table goes on beyond its right or lower edge, or was scrolled away from its left one. */
function useHiddenParts(scroll: RefObject<HTMLElement | null>) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const [box, mark] = [scroll.current, frame.current]
    if (box === null || mark === null) return
    const update = () => {
      mark.toggleAttribute('data-more-left', box.scrollLeft > 1)
      mark.toggleAttribute('data-more-right', box.scrollLeft + box.clientWidth < box.scrollWidth - 1)
      mark.toggleAttribute('data-more-below', box.scrollTop + box.clientHeight < box.scrollHeight - 1)
    }
    const observer = new ResizeObserver(update)
    observer.observe(box)
    for (const child of box.children) observer.observe(child)
    box.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', update)
    }
  }, [scroll])
  return frame
}

function alignClass<Row>(columns: readonly Column<Row>[], id: string): string | undefined {
  return columns.find((column) => column.id === id)?.align === 'right' ? styles.right : undefined
}

interface HeadCellProps<Row> {
  column: Column<Row>
  sorting: SortState | null
  onSort: ((sort: string) => void) | undefined
}

function HeadCell<Row>({ column, sorting, onSort }: HeadCellProps<Row>) {
  const { sortKey } = column
  const direction = sorting?.id === sortKey ? (sorting?.desc ? 'descending' : 'ascending') : undefined
  const className = column.align === 'right' ? styles.right : undefined
  if (sortKey === undefined || onSort === undefined) {
    return (
      <th scope="col" className={className}>
        {column.header}
      </th>
    )
  }
  const arrow = direction === undefined ? '' : direction === 'descending' ? '▼' : '▲'
  return (
    <th scope="col" className={className} aria-sort={direction ?? 'none'}>
      <button
        type="button"
        className={`${styles.sort} ${direction ? styles.sorted : 'muted'} plain inline-row gap-4`}
        onClick={() => onSort(sortText(sortKey, sorting))}
      >
        {column.header}
        {arrow !== '' && (
          <span className="size-note" aria-hidden="true">
            {arrow}
          </span>
        )}
      </button>
    </th>
  )
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null
  return (
    <tr className={styles.spacer}>
      <td colSpan={columns} style={{ height }} />
    </tr>
  )
}
