/** A chart with everything a reader needs around it: numbers as a table, CSV, PNG, a link that stays. */

import { ActionIcon, Skeleton } from '@mantine/core'
import type { EChartsCoreOption } from 'echarts/core'
import { lazy, type ReactNode, Suspense, startTransition, useRef, useState } from 'react'
import { type CsvCell, toCsv } from '../../lib/csv'
import { Card } from '../Card'
import { Icon, type IconName } from '../Icon'
import type { CanvasHandle } from './Canvas'
import styles from './Chart.module.css'
import { download, fileStem, framedPicture } from './download'
import { useNearViewport } from './useNearViewport'
import { useTokens } from './useTokens'

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
  /** The chart's numbers, raw, for a spreadsheet. */
  csv: () => { header: string[]; rows: CsvCell[][] }
  /** The chart's numbers, as a table to look at. */
  table: ReactNode
  legend?: ReactNode
  legendWords?: readonly { label: string; colour: string }[]
  /** An address that shows this very window to everyone. */
  permalink: string
  /** Moves with the cursor of the page's other charts over time. */
  sharesCursor?: boolean
  /** Labels with less room than that are left out. */
  leastLabel_px?: number
  onBrush?: (a_ms: number, b_ms: number) => void
  onPick?: (id: string) => void
}

export function Chart(props: ChartProps) {
  const [asTable, setAsTable] = useState(false)
  const canvas = useRef<CanvasHandle>(null)
  const [place, isNear] = useNearViewport<HTMLDivElement>()
  // The press is answered before thousands of numbers, or a chart, are drawn.
  const turn = () => startTransition(() => setAsTable(!asTable))
  const tools = <Tools {...props} canvas={canvas} asTable={asTable} onTable={turn} />
  return (
    <Card title={props.title} hint={props.hint} actions={tools}>
      {props.legend}
      {asTable ? (
        props.table
      ) : (
        <div ref={place} style={{ height: props.height }} data-testid="chart">
          {isNear && (
            <Suspense fallback={<Skeleton height={props.height} aria-busy="true" />}>
              <Canvas
                ref={canvas}
                option={props.option}
                height={props.height}
                label={props.label}
                sharesCursor={props.sharesCursor}
                leastLabel_px={props.leastLabel_px}
                onBrush={props.onBrush}
                onPick={props.onPick}
              />
            </Suspense>
          )}
        </div>
      )}
    </Card>
  )
}

interface ToolsProps extends ChartProps {
  canvas: { current: CanvasHandle | null }
  asTable: boolean
  onTable: () => void
}

function Tools({ canvas, asTable, onTable, ...props }: ToolsProps) {
  const tokens = useTokens()
  const [copied, setCopied] = useState(false)
  const stem = fileStem(props.exportTitle)

  function saveCsv() {
    const { header, rows } = props.csv()
    download(new Blob([toCsv(header, rows)], { type: 'text/csv;charset=utf-8' }), `${stem}.csv`)
  }

  function savePng() {
    const drawing = canvas.current?.picture(tokens.ink.card)
    if (!drawing) return
    const words = { title: props.exportTitle, subtitle: props.windowText, legend: props.legendWords ?? [] }
    const colours = { background: tokens.ink.card, text: tokens.ink.text, muted: tokens.ink.muted, font: tokens.font }
    framedPicture(drawing, words, colours).toBlob((picture) => picture && download(picture, `${stem}.png`))
  }

  async function copyLink() {
    await navigator.clipboard.writeText(props.permalink)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }

  return (
    <div className={styles.tools}>
      <Tool
        icon={asTable ? 'chart' : 'table'}
        label={asTable ? 'Show as chart' : 'Show as table of numbers'}
        onClick={onTable}
      />
      <Tool icon="download" label="Save the numbers as CSV" onClick={saveCsv} />
      {!asTable && <Tool icon="chart" label="Save the picture as PNG" onClick={savePng} />}
      <Tool
        icon={copied ? 'check' : 'link'}
        label={copied ? 'Link copied' : 'Copy a link to this window'}
        onClick={() => void copyLink()}
      />
    </div>
  )
}

function Tool({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="var(--gv-muted)"
      size="md"
      aria-label={label}
      data-tip={label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </ActionIcon>
  )
}
