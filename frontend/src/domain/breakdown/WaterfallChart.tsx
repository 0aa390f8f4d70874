/** Where the time of one window went, reads beside writes. */

import { SegmentedControl } from '@mantine/core'
import { memo, type ReactNode, useMemo } from 'react'
import type { Waterfall } from '../../api/types'
import { type Counted, countedWords, withCounted } from '../../charts/counted'
import { ABOVE, POSSIBLY_ABOVE } from '../../charts/over'
import type { ChartTokens } from '../../charts/tokens'
import {
  COLUMN_TITLES,
  type FoldedRows,
  foldedRows,
  STATE_WORDS,
  type WaterfallColumn,
  type WaterfallRow,
  waterfallRows,
  waterfallScale,
} from '../../charts/waterfall'
import { waterfallCsv } from '../../charts/waterfallCsv'
import { type WaterfallLayout, waterfallHeight, waterfallOption } from '../../charts/waterfallOption'
import * as breakdownCopy from '../../copy/breakdown'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import { Chart } from '../../kit/chart/Chart'
import { useTokens } from '../../kit/chart/useTokens'
import { type LegendWord, Words } from '../../kit/chart/Words'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { atLeast } from '../../lib/breakpoints'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { AtOnce } from '../../lib/search'
import { capitalized } from '../../lib/text'
import { formatWindow } from '../../lib/time'
import { useParameter } from '../../lib/url'
import { BREAKDOWN_DIRECTION } from '../parameters'
import { baselineWords, shortBaselineWords } from './baselineWords'

interface WaterfallChartProps {
  name: string
  waterfall: Waterfall
  /** The layer that the diagnosis names, and the one that it could not decide from. */
  named: string | null
  other?: string | null
  /** What it names is over. */
  hasEnded?: boolean
  hint?: ReactNode
  /** What the array's own counters say of the same window. */
  counted?: readonly Counted[]
  /** How far measurements contradict each other, in the worst minute, reads and writes together. */
  disagreement_us?: number | null
  /** Beside other cards: reads, writes, or both weighted by I/O, one at a time. */
  compact?: boolean
}

const NONE: readonly Counted[] = []
const NO_ROWS: FoldedRows = { keys: new Set(), small: [], missing: [] }

export const WaterfallChart = memo(function WaterfallChart({
  name,
  waterfall,
  named,
  other = null,
  hasEnded = false,
  hint,
  counted = NONE,
  disagreement_us = null,
  compact = false,
}: WaterfallChartProps) {
  const { zone } = usePreferences()
  const tokens = useTokens()
  const [chosen] = useParameter(BREAKDOWN_DIRECTION)
  const directions = waterfall.directions
  const columns = useMemo(
    () => withCounted(compact ? oneColumn(directions, chosen || 'all') : shownColumns(directions), counted),
    [directions, compact, chosen, counted],
  )
  const layout = useLayout(columns.length)
  const shown = new Set(columns.map(({ direction }) => direction))
  const silent = compact ? [] : directions.filter(({ direction }) => direction !== 'all' && !shown.has(direction))
  const from_ms = Date.parse(waterfall.from_at)
  const to_ms = Date.parse(waterfall.to_at)
  const label = breakdownCopy.spoken(name, columns.map(inWords).join('; '))
  const isCalm = named === null || hasEnded
  const owners = useMemo(() => [named, other].filter((one) => one !== null), [named, other])
  const folded = useMemo(
    () => (compact ? foldedRows(columns, owners, layout === 'stacked') : NO_ROWS),
    [compact, columns, owners, layout],
  )
  const option = useMemo(
    () =>
      waterfallOption({
        columns,
        layout,
        named: owners,
        isCalm,
        disagreement_us,
        folded: folded.keys,
        tokens,
        label,
      }),
    [columns, layout, owners, isCalm, disagreement_us, folded, tokens, label],
  )
  const marks = marksOf(
    columns,
    folded.keys,
    (compact ? shortBaselineWords : baselineWords)(waterfall.baseline_from),
    disagreement_us,
    isCalm,
    tokens,
  )
  const counts = countedSentence(countedWords(columns), waterfall.subject.kind)
  return (
    <Chart
      title={breakdownCopy.title}
      exportTitle={breakdownCopy.csvTitle(name)}
      windowText={formatWindow(from_ms, to_ms, zone)}
      label={label}
      option={option}
      height={waterfallHeight({ columns, layout, disagreement_us, folded: folded.keys })}
      csv={() => waterfallCsv(columns, disagreement_us)}
      table={
        <>
          {compact && counts !== '' && <p className="quiet pretty above">{counts}</p>}
          <WaterfallTable
            columns={columns}
            name={name}
            over={diagnosisCopy.aboveBaseline}
            disagreement_us={disagreement_us}
          />
        </>
      }
      hint={
        compact ? (
          <AtOnce>
            <DirectionSwitch />
          </AtOnce>
        ) : (
          hint
        )
      }
      legend={
        <>
          <Legend silent={silent} counted={compact ? '' : counts} marks={marks} />
          <FoldedNote folded={folded} />
        </>
      }
      legendWords={marks}
      shownWindow={{ from_ms, to_ms }}
    />
  )
})

/** As much beside the bars as there is room for: a screen's width is known before its chart's. */
function useLayout(columns: number): WaterfallLayout {
  const isPhone = !useMediaMatch(atLeast('phone'))
  const isTablet = !useMediaMatch(atLeast('tablet'))
  const isWide = useMediaMatch(atLeast('wide'))
  if (isPhone) return 'stacked'
  return isTablet || (!isWide && columns > 1) ? 'beside' : 'wide'
}

/** What the signs of the picture mean, of those that are in it. */
function marksOf(
  columns: readonly WaterfallColumn[],
  folded: ReadonlySet<string>,
  baseline: string,
  disagreement_us: number | null,
  isCalm: boolean,
  { ink }: ChartTokens,
): LegendWord[] {
  const rows = waterfallRows(columns, waterfallScale(columns).scale)
    .flat()
    .filter(({ key }) => !folded.has(key))
  const pieces = rows.flatMap((row) => row.pieces)
  const marks: [boolean, LegendWord][] = [
    [rows.some(({ baseline_us }) => baseline_us !== null), { label: baseline, color: ink.boundary, mark: 'solid' }],
    [
      rows.some(({ lower_us, upper_us }) => (upper_us ?? 0) > (lower_us ?? 0)),
      { label: breakdownCopy.layerRangeMark, color: ink.total, mark: 'whisker' },
    ],
    [
      rows.some(({ excess, isOver }) => excess !== '' && isOver),
      { label: diagnosisCopy.aboveBaseline, color: isCalm ? ink.text : ink.bad, mark: { sign: ABOVE } },
    ],
    [
      rows.some(({ excess, isOver }) => excess !== '' && !isOver),
      { label: breakdownCopy.possiblyAbove, color: ink.muted, mark: { sign: POSSIBLY_ABOVE } },
    ],
    [
      pieces.some(({ hatched, dotted }) => hatched && !dotted),
      { label: breakdownCopy.estimatedMark, color: ink.gap, mark: 'hatched' },
    ],
    [pieces.some(({ dotted }) => dotted), { label: breakdownCopy.partsMark, color: ink.gap, mark: 'dotted' }],
    [(disagreement_us ?? 0) > 0, { label: breakdownCopy.contradictionMark, color: ink.boundary, mark: 'outline' }],
  ]
  return marks.filter(([isShown]) => isShown).map(([, mark]) => mark)
}

/** What has no row here; the table has all of them. */
function FoldedNote({ folded: { small, missing } }: { folded: FoldedRows }) {
  const words = [
    small.length === 0 ? '' : breakdownCopy.foldedSmall(small.join(', ')),
    missing.length === 0 ? '' : breakdownCopy.foldedMissing(missing.join(', ')),
  ].filter((text) => text !== '')
  return words.length === 0 ? null : <p className="quiet">{words.join(' · ')}</p>
}

/** Reads and writes; one without numbers makes room for the other, and is told in a line. */
function shownColumns(directions: readonly WaterfallColumn[]): WaterfallColumn[] {
  const apart = directions.filter(({ direction }) => direction !== 'all')
  const active = apart.filter(({ state }) => state === 'judged' || state === 'too_few')
  return active.length === 0 ? apart.slice(0, 1) : active
}

/** Both together as long as there is anything of both; one that has no numbers is shown as having none. */
const oneColumn = (directions: readonly WaterfallColumn[], wanted: WaterfallColumn['direction']) =>
  directions.filter(({ direction }) => direction === wanted)

const DIRECTIONS = [
  { value: '', label: breakdownCopy.all },
  { value: 'read', label: breakdownCopy.reads },
  { value: 'write', label: breakdownCopy.writes },
]

function DirectionSwitch() {
  const [chosen, choose] = useParameter(BREAKDOWN_DIRECTION)
  return (
    <SegmentedControl
      size="xs"
      aria-label={breakdownCopy.directionSwitch}
      data={DIRECTIONS}
      value={chosen}
      onChange={(value) => choose(value, { replace: true })}
    />
  )
}

function inWords(column: WaterfallColumn): string {
  const [total, ...rows] = waterfallRows([column], waterfallScale([column]).scale)[0] ?? []
  const layers = rows.filter(({ kind }) => kind === 'layer').map(({ label, value }) => `${label} ${value}`)
  return breakdownCopy.columnWords(COLUMN_TITLES[column.direction], total?.value ?? '', layers.join(', '))
}

/** The array counts whole volumes, whoever's the I/Os are. */
const WHOSE: Record<string, string> = {
  host: breakdownCopy.wholeHosts,
  vm: breakdownCopy.wholeVms,
  array: breakdownCopy.wholeVolumes,
}

function countedSentence(words: string, kind: string): string {
  if (words === '') return ''
  return breakdownCopy.estimatedNote(words, WHOSE[kind] ?? '')
}

interface LegendProps {
  silent: readonly WaterfallColumn[]
  counted: string
  marks: readonly LegendWord[]
}

function Legend({ silent, counted, marks }: LegendProps) {
  return (
    <>
      {counted !== '' && <p className="quiet pretty above">{counted}</p>}
      {silent.map(({ direction, state }) => (
        <p key={direction} className="quiet pretty above">
          {COLUMN_TITLES[direction]}: {STATE_WORDS[state]}
        </p>
      ))}
      <Words words={marks} />
    </>
  )
}

interface WaterfallTableProps {
  columns: readonly WaterfallColumn[]
  name: string
  over: string
  disagreement_us: number | null
}

type TableRow = readonly WaterfallRow[]

/** A row of the table is one part of the path, with its numbers of each direction. */
function WaterfallTable({ columns, name, over, disagreement_us }: WaterfallTableProps) {
  const { scale } = waterfallScale(columns)
  const all = waterfallRows(columns, scale, disagreement_us)
  const rows = (all[0] ?? []).map((_, position) => all.flatMap((own) => own[position] ?? []))
  return (
    <VirtualTable
      label={breakdownCopy.tableLabel(name)}
      columns={tableColumns(columns, over)}
      count={rows.length}
      rowAt={(index) => rows[index]}
      wraps
      whole
    />
  )
}

function tableColumns(columns: readonly WaterfallColumn[], over: string): Column<TableRow>[] {
  return [
    {
      id: 'segment',
      header: breakdownCopy.segmentHeader,
      width: 190,
      minWidth: 130,
      grow: true,
      cell: ([row]) => (row?.kind === 'part' ? <span className="muted">· {row.label}</span> : row?.label),
    },
    ...columns.flatMap(({ direction }, index): Column<TableRow>[] => {
      // Both together are said by the switch above.
      const title = direction === 'all' ? '' : `${COLUMN_TITLES[direction]} `
      const number = (
        header: string,
        [width, minWidth]: [number, number],
        text: (row: WaterfallRow) => string,
        folded = text,
      ): Column<TableRow> => ({
        id: `${direction} ${header}`,
        header: title === '' ? capitalized(header || commonCopy.latency) : title + header,
        width,
        minWidth,
        align: 'right',
        compact: (rows) => rows[index] && folded(rows[index]),
        cell: (rows) => <span className="tabular">{(rows[index] && text(rows[index])) || '–'}</span>,
      })
      return [
        number('', [170, 110], timeOf, (row) => title + timeOf(row)),
        number(breakdownCopy.share, [110, 64], ({ share }) => share),
        number(
          over,
          [170, 120],
          ({ excess }) => excess,
          ({ excess }) => excess && `${excess} ${over}`,
        ),
      ]
    }),
  ]
}

const timeOf = ({ counted, value }: WaterfallRow): string => (counted ? breakdownCopy.reported(value, counted) : value)
