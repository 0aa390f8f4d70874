/** What changed from one run to another: the tool's figures, then the remainder and the layers with the range of each change. */

import { useQuery } from '@tanstack/react-query'
import { type Tied, testRunChangesQuery } from '../../api/testRuns'
import type { TestRunChanges } from '../../api/types'
import * as testRunsCopy from '../../copy/testRuns'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import {
  formatBytesPerSecond,
  formatFixed,
  formatIops,
  type LatencyScale,
  latencyScale,
  NOT_MEASURED,
} from '../../lib/units'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { LayerSwatch } from '../io-path/LayerBar'
import { latencyText, rangeText, signedLatency } from './runWords'
import styles from './TestRuns.module.css'

type Changes = TestRunChanges['directions'][number]
type Figure = Changes['figures'][number]
type LayerChange = Changes['layers'][number]

interface ChangesCardProps {
  to: Tied
  before: number
  after: number
}

export function ChangesCard({ to, before, after }: ChangesCardProps) {
  const query = useQuery(testRunChangesQuery(to, before, after))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={360} />}>
      {(changes) => <ChangesTable changes={changes} />}
    </DataState>
  )
}

const runName = ({ run }: TestRunChanges['before']) => `${run.name} (${run.file_name})`

export function ChangesTable({ changes }: { changes: TestRunChanges }) {
  const whole = changes.directions.find(({ direction }) => direction === 'all') ?? changes.directions[0]
  const hint = testRunsCopy.changesHint(runName(changes.before), runName(changes.after))
  return (
    <Card title={testRunsCopy.changes} hint={hint} flush>
      {whole === undefined ? (
        <p className="inset">{testRunsCopy.noCommon}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className="scroll-x" tabIndex={0} aria-label={testRunsCopy.changesScroll}>
          <table className="lines flush" aria-label={testRunsCopy.changesTable}>
            <thead>
              <tr>
                <th scope="col">{testRunsCopy.figure}</th>
                {[testRunsCopy.before, testRunsCopy.after, testRunsCopy.change].map((header) => (
                  <th key={header} scope="col" className="right numeric">
                    {header}
                  </th>
                ))}
              </tr>
            </thead>
            <Rows changes={whole} tool={changes.after.run.tool} />
          </table>
        </section>
      )}
    </Card>
  )
}

function Rows({ changes: { figures, layers }, tool }: { changes: Changes; tool: string }) {
  const mean = figures.find(({ name }) => name === 'mean_us')
  const scale = latencyScale(Math.max(mean?.before ?? 0, mean?.after ?? 0))
  return (
    <>
      <tbody>
        <Group title={testRunsCopy.figuresOf(tool)} />
        {figures
          .filter(({ before, after }) => before !== null || after !== null)
          .map((figure) => (
            <FigureRow key={figure.name} figure={figure} scale={scale} />
          ))}
      </tbody>
      <tbody>
        <Group title={testRunsCopy.layersOf} />
        {layers.map((layer) => (
          <LayerRow key={layer.name} layer={layer} scale={scale} />
        ))}
      </tbody>
    </>
  )
}

const Group = ({ title }: { title: string }) => (
  <tr>
    <th scope="rowgroup" colSpan={4} className="muted">
      {title}
    </th>
  </tr>
)

const FIGURE_LABELS: Record<Figure['name'], string> = {
  ops_per_s: testRunsCopy.iops,
  bytes_per_s: testRunsCopy.bandwidth,
  mean_us: testRunsCopy.mean,
  p50_us: testRunsCopy.p50,
  p95_us: testRunsCopy.p95,
  p99_us: testRunsCopy.p99,
  p999_us: testRunsCopy.p999,
  max_us: testRunsCopy.slowest,
}

function figureText(name: Figure['name'], value: number | null, scale: LatencyScale): string {
  if (value === null) return NOT_MEASURED
  if (name === 'ops_per_s') return formatIops(value)
  return name === 'bytes_per_s' ? formatBytesPerSecond(value) : latencyText(value, scale)
}

function FigureRow({
  figure: { name, before, after, change, change_ratio },
  scale,
}: {
  figure: Figure
  scale: LatencyScale
}) {
  const sign = (change ?? 0) > 0 ? '+' : (change ?? 0) < 0 ? '−' : ''
  return (
    <tr>
      <th scope="row">{FIGURE_LABELS[name]}</th>
      <td className="right numeric">{figureText(name, before, scale)}</td>
      <td className="right numeric">{figureText(name, after, scale)}</td>
      <td className="right numeric">
        {change === null ? (
          <span className="faint">{testRunsCopy.notComparable}</span>
        ) : (
          `${sign}${figureText(name, Math.abs(change), scale)}`
        )}
        {change_ratio !== null && (
          <span className={`${styles.below} small muted`}>
            {sign}
            {formatFixed(Math.abs(change_ratio) * 100, 0)} %
          </span>
        )}
      </td>
    </tr>
  )
}

function LayerRow({ layer, scale }: { layer: LayerChange; scale: LatencyScale }) {
  const { before_us, after_us, change_us, change_lower_us, change_upper_us } = layer
  const latency = (us: number | null) => (us === null ? NOT_MEASURED : latencyText(us, scale))
  return (
    <tr>
      <th scope="row">
        {layer.layers.length > 0 && <LayerSwatch layers={layer.layers} />} {layer.label}
      </th>
      <td className="right numeric">{latency(before_us)}</td>
      <td className="right numeric">{latency(after_us)}</td>
      <td className="right numeric">
        {change_us === null ? (
          <span className="faint">{testRunsCopy.notComparable}</span>
        ) : (
          signedLatency(change_us, scale)
        )}
        {change_lower_us !== null && change_upper_us !== null && (
          <span className={`${styles.below} small muted`}>{rangeText(change_lower_us, change_upper_us, scale)}</span>
        )}
      </td>
    </tr>
  )
}
