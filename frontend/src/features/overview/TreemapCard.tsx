/** The ranking's first page as a picture: how large, whose, how sure. The table below is the same by keyboard. */

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { memo, useCallback, useMemo } from 'react'
import { overviewQuery, type RankingParams } from '../../api/diagnoses'
import type { EntityKind } from '../../api/queries'
import type { OverviewRow } from '../../api/types'
import { LAYER_IDS, type LayerId, layerWord } from '../../charts/segments'
import type { ChartTokens } from '../../charts/tokens'
import { paint, STRENGTH_WORDS, STRENGTHS, type Strength, type Tile, treemapOption } from '../../charts/treemap'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as navigationCopy from '../../copy/navigation'
import * as overviewCopy from '../../copy/overview'
import { ios } from '../../domain/breakdown/ios'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { KIND } from '../../domain/kinds'
import { addressOf } from '../../domain/object/EntityLink'
import { WORST_FIRST } from '../../domain/parameters'
import { confidenceLabel } from '../../domain/severity/confidence'
import { Chart } from '../../kit/chart/Chart'
import { useTokens } from '../../kit/chart/useTokens'
import { type LegendWord, Words } from '../../kit/chart/Words'
import { Card } from '../../kit/layout/Card'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatWindow } from '../../lib/time'
import styles from './Overview.module.css'
import { arrayNames, iosOf, keyOf, tileOf } from './tiles'
import { tileTooltip } from './tileTooltip'

/** As high as the panel over time beside it. */
const HEIGHT = 234
/** A letter or two of a name tell nothing: the cursor and the table name what is smaller. */
const LEAST_LABEL_PX = 40

export function TreemapCard({ params }: { params: RankingParams }) {
  const query = useQuery(overviewQuery({ ...params, sort: WORST_FIRST }, 0))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={HEIGHT + 90} />}>
      {(page) => (
        <Treemap rows={page.items} total={page.total} kind={params.kind} from_at={page.from_at} to_at={page.to_at} />
      )}
    </DataState>
  )
}

interface TreemapProps {
  rows: readonly OverviewRow[]
  total: number
  kind: EntityKind
  from_at: string
  to_at: string
}

const Treemap = memo(function Treemap({ rows, total, kind, from_at, to_at }: TreemapProps) {
  const tokens = useTokens()
  const { zone } = usePreferences()
  const navigate = useNavigate()
  const { titles: title, noun } = KIND[kind]
  const words = legendWords(tokens)
  const tiles = useMemo(() => rows.map((row) => tileOf(row, zone)).filter(({ ios }) => ios > 0), [rows, zone])
  const label = overviewCopy.treemapSpoken(title)
  const option = useMemo(() => {
    const sentences = new Map(rows.map((row) => [keyOf(row), row]))
    const tooltip = tileTooltip((id) => sentences.get(id), tokens.ink)
    return { ...treemapOption({ tiles, tokens, label }), tooltip }
  }, [rows, tiles, tokens, label])
  const open = useCallback(
    (id: string) => {
      const found = [...rows.map(({ subject }) => subject), ...rows.flatMap(({ arrays }) => arrays)]
      const thing = found.find((one) => keyOf({ subject: one }) === id)
      const address = thing === undefined ? null : addressOf(thing)
      if (address !== null) void navigate({ to: address })
    },
    [rows, navigate],
  )
  const heading = overviewCopy.treemap(noun)
  if (tiles.length === 0)
    return (
      <Card title={heading}>
        <EmptyState title={overviewCopy.noOutstandingIo} text={overviewCopy.nothingMeasured} />
      </Card>
    )
  const [from_ms, to_ms] = [Date.parse(from_at), Date.parse(to_at)]
  return (
    <Chart
      title={heading}
      exportTitle={overviewCopy.treemapCsv(title)}
      windowText={formatWindow(from_ms, to_ms, zone)}
      hint={overviewCopy.treemapHint(
        title === navigationCopy.arrays ? '' : overviewCopy.byArray,
        total > rows.length ? overviewCopy.topOf(rows.length, plural(total, noun)) : '',
      )}
      label={label}
      option={option}
      height={HEIGHT}
      fill
      csv={() => ({ header: CSV_HEADER, rows: rows.map(csvRow) })}
      table={<TilesTable tiles={tiles} label={overviewCopy.treemapTable(title)} />}
      legend={<Words words={words} />}
      legendWords={words}
      shownWindow={{ from_ms, to_ms }}
      leastLabel_px={LEAST_LABEL_PX}
      onPick={open}
    />
  )
})

const CSV_HEADER = [
  'name',
  'arrays',
  overviewCopy.csvOutstanding,
  overviewCopy.csvLatency,
  overviewCopy.csvExcess,
  'layer',
  'severity',
  'confidence',
  overviewCopy.csvExcessOutstanding,
]

const csvRow = (row: OverviewRow) => [
  row.subject.name,
  arrayNames(row.arrays),
  row.total_us === null || row.iops === null ? null : iosOf(row),
  row.total_us,
  row.excess_us,
  row.layer_label,
  row.severity,
  row.confidence,
  row.excess_outstanding,
]

const word = (label: string, color: string, mark: LegendWord['mark']): LegendWord => ({ label, color, mark })

function legendWords(tokens: ChartTokens): LegendWord[] {
  const fillOf = (layer: LayerId, strength: Strength) =>
    paint({ layers: [layer], look: 'confirmed', strength }, tokens).fill
  return [
    ...LAYER_IDS.map((layer) => word(layerWord(layer), fillOf(layer, 'most'), 'fill')),
    word(confidenceLabel('likely'), fillOf('array', 'most'), 'hatched'),
    word(confidenceLabel('inconclusive'), tokens.ink.gap, 'hatched'),
    ...STRENGTHS.map((strength) => word(STRENGTH_WORDS[strength], fillOf('array', strength), 'fill')),
  ]
}

function TilesTable({ tiles, label }: { tiles: readonly Tile[]; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.tiles} tabIndex={0} aria-label={commonCopy.scrolls(label)}>
      <table className="lines" aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{commonCopy.name}</th>
            <th scope="col">{commonCopy.array}</th>
            <th scope="col">{overviewCopy.outstandingIo}</th>
            <th scope="col">{diagnosisCopy.title}</th>
          </tr>
        </thead>
        <tbody>
          {tiles.map((tile) => (
            <tr key={tile.id}>
              <td>{tile.name}</td>
              <td>{tile.group?.name ?? tile.name}</td>
              <td className="numeric">{ios(tile.ios)}</td>
              <td>{tile.words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
