/** A chart with everything a reader needs around it: numbers as a table, CSV, PNG, a link that stays. */

import { Skeleton } from '@mantine/core'
import type { EChartsCoreOption } from 'echarts/core'
import { lazy, type ReactNode, Suspense, startTransition, useRef, useState } from 'react'
import * as chartsCopy from '../../copy/charts'
import { Card } from '../layout/Card'
import type { CanvasHandle } from './Canvas'
import styles from './Chart.module.css'
import { download, fileStem } from './download'
import { framedPicture } from './framedPicture'
import type { TimeCursor } from './timeCursor'
import { CopyLink, type CsvTable, SaveCsv, type ShownWindow, Tool, Tools, TurnTable } from './tools'
import { useNearViewport } from './useNearViewport'
import { useTokens } from './useTokens'
import type { LegendWord } from './Words'

// Half a megabyte that takes a while to run: words and numbers are on the screen first.
const Canvas = lazy(() => import('./Canvas'))

export interface ChartProps {
  title: string
  /** Names the object as well: the title of exported files. */
  exportTitle: string
  /** The window in words, printed under the title of exported pictures. */
  windowText: string
  hint?: ReactNode
  /** One sentence that says what is to be seen. */
  label: string
  option: EChartsCoreOption
  height: number
  /** Higher where its card has more room. */
  fill?: boolean
  /** The chart's numbers, raw, for a spreadsheet. */
  csv: () => CsvTable
  /** The chart's numbers, as a table to look at. */
  table: ReactNode
  legend?: ReactNode
  /** What colors and signs mean, for those who see the exported picture alone. */
  legendWords: readonly LegendWord[]
  shownWindow: ShownWindow
  /** Of a chart over time: moves with the cursor of the page's others, and says what is there. */
  cursor?: TimeCursor
  /** Labels with less room than that are left out. */
  leastLabel_px?: number
  onBrush?: (a_ms: number, b_ms: number) => void
  onPick?: (id: string) => void
}

export function Chart(props: ChartProps) {
  const { fill = false } = props
  const [asTable, setAsTable] = useState(false)
  const canvas = useRef<CanvasHandle>(null)
  const [place, isNear] = useNearViewport<HTMLDivElement>()
  // The press is answered before thousands of numbers, or a chart, are drawn.
  const turn = () => startTransition(() => setAsTable(!asTable))
  const tools = <Buttons {...props} canvas={canvas} asTable={asTable} onTable={turn} />
  return (
    <Card title={props.title} hint={props.hint} actions={tools} fill={fill}>
      {props.legend}
      {asTable && props.table}
      {/* Out of sight it stays as large as it was: its picture can be saved beside the table. */}
      <div className={asTable ? styles.away : fill ? 'flex grow' : undefined}>
        <div
          ref={place}
          className={fill ? `${styles.filled} narrow grow relative` : undefined}
          style={fill ? { minHeight: props.height } : { height: props.height }}
          data-testid="chart"
        >
          {isNear && (
            <Suspense fallback={<Skeleton height={fill ? '100%' : props.height} aria-busy="true" />}>
              <Canvas
                ref={canvas}
                option={props.option}
                height={fill ? '100%' : props.height}
                label={props.label}
                cursor={props.cursor}
                leastLabel_px={props.leastLabel_px}
                onBrush={props.onBrush}
                onPick={props.onPick}
              />
            </Suspense>
          )}
        </div>
      </div>
    </Card>
  )
}

interface ButtonsProps extends ChartProps {
  canvas: { current: CanvasHandle | null }
  asTable: boolean
  onTable: () => void
}

function Buttons({ canvas, asTable, onTable, ...props }: ButtonsProps) {
  const tokens = useTokens()

  function savePng() {
    const drawing = canvas.current?.picture(tokens.ink.card)
    if (!drawing) return
    const words = { title: props.exportTitle, subtitle: props.windowText, legend: props.legendWords }
    const colors = { background: tokens.ink.card, text: tokens.ink.text, muted: tokens.ink.muted, font: tokens.font }
    framedPicture(drawing, words, colors).toBlob(
      (picture) => picture && download(picture, `${fileStem(props.exportTitle)}.png`),
    )
  }

  return (
    <Tools>
      <TurnTable asTable={asTable} onTurn={onTable} />
      <SaveCsv title={props.exportTitle} csv={props.csv} />
      <Tool icon="chart" label={chartsCopy.savePng} onClick={savePng} />
      <CopyLink {...props.shownWindow} />
    </Tools>
  )
}
