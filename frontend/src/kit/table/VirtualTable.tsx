/** A table of any length: only the rows in sight exist, the heading stays, sorting is the server's. */

import { Skeleton } from '@mantine/core'
import {
  columnVisibilityFeature,
  createColumnHelper,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import * as commonCopy from '../../copy/common'
import type { CsvCell } from '../../lib/csv'
import { useMediaMatch, useScreenStep } from '../../lib/preferences'
import { fitting } from './fitting'
import { parseSort, type SortState, sortText } from './sort'
import styles from './VirtualTable.module.css'

export interface Column<Row> {
  id: string
  header: string
  /** Width in px; the columns that `grow` share what is left. */
  width: number
  /** Width on screens narrower than 700 px, where it is smaller. */
  narrow?: number
  grow?: boolean
  align?: 'right'
  /** The API's name for sorting by this column. */
  sortKey?: string
  /** Hidden on screens narrower than this many px. */
  from?: number
  /** Only on screens narrower than 700 px: several columns said in one. */
  narrowOnly?: boolean
  /** Of the last minute: nothing for a table about another time. */
  isCurrent?: boolean
  cell: (row: Row) => ReactNode
  /** Its raw value in a saved table; a column without one is only drawn. */
  csv?: (row: Row) => CsvCell
  /** With the unit of the raw value, where the heading does not have it. */
  csvHeader?: string
}

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
  /** Height of every row in px, where its cells need more than one line. */
  rowPx?: number
  /** The same on screens narrower than 700 px. */
  narrowRowPx?: number
  /** Where cells take the lines they need, cut nothing, and rows are as high as the highest of them: of a few rows at most. */
  wraps?: 'everywhere' | 'on phones'
  /** What a row is about, where rows come and go above it: the focus then stays with the thing and not with the place. */
  rowKey?: (row: Row) => string
}

interface Slot<Row> {
  index: number
  row: Row | undefined
}

const features = tableFeatures({ rowSortingFeature, columnVisibilityFeature })
const ROW_PX = 40
/** As high as a table gets that does not fill its page. */
const HIGHEST_PX = 560
const WIDE = '(min-width: 700px)'

/** Drawn anew only for other rows, columns or order. */
export const VirtualTable = memo(HeightTable) as typeof HeightTable

/** Rows stand where their height puts them: those of another height are another table. */
function HeightTable<Row>(props: VirtualTableProps<Row>) {
  const { rowPx = ROW_PX, narrowRowPx = rowPx } = props
  const isWide = useMediaMatch(WIDE)
  const px = isWide ? rowPx : narrowRowPx
  const isWrapped = props.wraps === 'everywhere' || (props.wraps === 'on phones' && !isWide)
  return <TableOfHeight key={px} {...props} rowPx={px} isWrapped={isWrapped} />
}

function TableOfHeight<Row>(props: VirtualTableProps<Row> & { rowPx: number; isWrapped: boolean }) {
  const {
    label,
    columns,
    count,
    rowAt,
    sort = '',
    onSort,
    onWindow,
    fill = false,
    whole = false,
    rowPx,
    rowKey,
    isWrapped,
  } = props
  const scroll = useRef<HTMLDivElement>(null)
  const frame = useHiddenParts(scroll)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    measureElement: (row) => Math.max(rowPx, row.getBoundingClientRect().height),
    // Rows are drawn with their table and not once more when its height is known.
    initialRect: { width: 0, height: HIGHEST_PX },
    overscan: 8,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0
  const shown = useFitting(useScreenColumns(columns), scroll)
  const visible = Object.fromEntries(columns.map(({ id }) => [id, shown.some((column) => column.id === id)]))
  const sorting = parseSort(sort)

  useEffect(() => onWindow?.(first, last), [onWindow, first, last])

  const table = useTable({
    features,
    columns: useColumnDefinitions(columns),
    data: items.map((item): Slot<Row> => ({ index: item.index, row: rowAt(item.index) })),
    getRowId: ({ index, row }) => (row === undefined || rowKey === undefined ? String(index) : rowKey(row)),
    manualSorting: true,
    state: { sorting: sorting ? [sorting] : [], columnVisibility: visible },
  })

  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div ref={frame} className={`${styles.frame} ${fill ? styles.frameFill : ''}`}>
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
          style={{ minWidth: widthOf(shown), '--gv-row': `${rowPx}px` } as CSSProperties}
        >
          <colgroup>
            {shown.map((column) => (
              <col key={column.id} style={column.grow ? undefined : { width: column.width }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {shown.map((column) => (
                <HeadCell key={column.id} column={column} sorting={sorting} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer height={before} columns={shown.length} />
            {table.getRowModel().rows.map((row) => (
              <tr
                key={row.id}
                aria-rowindex={row.original.index + 2}
                data-index={row.original.index}
                ref={isWrapped ? virtual.measureElement : undefined}
              >
                {row.getVisibleCells().map((cell) => (
                  <td key={cell.id} className={alignClass(columns, cell.column.id)}>
                    <table.FlexRender cell={cell} />
                  </td>
                ))}
              </tr>
            ))}
            <Spacer height={after} columns={shown.length} />
          </tbody>
        </table>
      </section>
      <span className={styles.ring} aria-hidden="true" />
    </div>
  )
}

function useColumnDefinitions<Row>(columns: readonly Column<Row>[]) {
  return useMemo(() => {
    const helper = createColumnHelper<typeof features, Slot<Row>>()
    return columns.map((column) =>
      helper.display({
        id: column.id,
        header: column.header,
        cell: ({ row }) =>
          row.original.row === undefined ? <Skeleton height={12} width="70%" /> : column.cell(row.original.row),
      }),
    )
  }, [columns])
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

/** The columns that the table has room for. Where all have, it is not drawn once more to find out. */
function useFitting<Row>(columns: Column<Row>[], scroll: RefObject<HTMLElement | null>): Column<Row>[] {
  const [tooNarrow_px, setTooNarrow] = useState<number | null>(null)
  const wanted_px = widthOf(columns)
  // Before anything is painted: no column is seen that makes way at once.
  useLayoutEffect(() => {
    const box = scroll.current
    if (box === null) return
    const measure = () => {
      const room_px = box.clientWidth
      setTooNarrow(room_px > 0 && room_px < wanted_px ? room_px : null)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [scroll, wanted_px])
  return useMemo(() => fitting(columns, tooNarrow_px), [columns, tooNarrow_px])
}

/** The columns that this screen shows, as wide as they are on it. */
function useScreenColumns<Row>(columns: readonly Column<Row>[]): Column<Row>[] {
  const width = useScreenStep()
  return useMemo(() => {
    const isShown = ({ from = 0, narrowOnly = false }: Column<Row>) => from <= width && !(narrowOnly && width > 0)
    return columns
      .filter(isShown)
      .map((column) => (width > 0 ? column : { ...column, width: column.narrow ?? column.width }))
  }, [columns, width])
}

const widthOf = <Row,>(columns: readonly Column<Row>[]) => columns.reduce((sum, column) => sum + column.width, 0)

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
        className={`${styles.sort} ${direction ? styles.sorted : ''}`}
        onClick={() => onSort(sortText(sortKey, sorting))}
      >
        {column.header}
        {arrow !== '' && (
          <span className={styles.arrow} aria-hidden="true">
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
