/** Each run with the tool's own figures, and beside them the remainder and the layers, outermost first. */

import { Button, Checkbox } from '@mantine/core'
import { Fragment } from 'react'
import type { TiedKind } from '../../api/testRuns'
import type { TestRun } from '../../api/types'
import { LAYER_IDS } from '../../charts/ioPath'
import { layerNames } from '../../copy/ioPathNames'
import * as testRunsCopy from '../../copy/testRuns'
import { Name, NameLink } from '../../kit/text/Name'
import { Worded } from '../../kit/text/Worded'
import { usePreferences } from '../../lib/preferences'
import { rangeSearch } from '../../lib/range'
import { formatWindow } from '../../lib/time'
import { formatBytesPerSecond, formatLatencyIn, formatRate, type LatencyScale, NOT_MEASURED } from '../../lib/units'
import { LayerSwatch } from '../io-path/LayerBar'
import {
  aheadText,
  type ComparedDirection,
  latencyText,
  notesOf,
  rangeText,
  scaleOf,
  settingsWords,
  shownDirections,
} from './runWords'
import styles from './TestRuns.module.css'

interface RunsTableProps {
  kind: TiedKind
  runs: readonly TestRun[]
  selected: readonly number[]
  onSelect: (run_id: number) => void
  /** The run whose latency over time is shown. */
  charted: number | null
  onChart: (run_id: number | null) => void
  onRemove: ((run: TestRun) => void) | null
}

export function RunsTable({ kind, runs, selected, onSelect, charted, onChart, onRemove }: RunsTableProps) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className="scroll-x relative" tabIndex={0} aria-label={testRunsCopy.scrolls}>
        <table className={`lines flush ${styles.runs}`} aria-label={testRunsCopy.table}>
          <Head />
          {runs.map((run) => (
            <RunRows
              key={run.run.id}
              kind={kind}
              compared={run}
              isSelected={selected.includes(run.run.id)}
              onSelect={() => onSelect(run.run.id)}
              isCharted={charted === run.run.id}
              onChart={() => onChart(charted === run.run.id ? null : run.run.id)}
              onRemove={onRemove === null ? null : () => onRemove(run)}
            />
          ))}
        </table>
      </section>
      <p className="quiet pretty inset">
        {runs.length > 1 && `${testRunsCopy.compareHint} `}
        {testRunsCopy.remainderMeaning[kind]}
      </p>
    </>
  )
}

const FIGURES = [
  testRunsCopy.iops,
  testRunsCopy.bandwidth,
  testRunsCopy.mean,
  testRunsCopy.p50,
  testRunsCopy.p99,
  testRunsCopy.remainder,
]

function Head() {
  return (
    <thead>
      <tr>
        <th scope="col">{testRunsCopy.run}</th>
        <th scope="col">{testRunsCopy.ios}</th>
        {FIGURES.map((figure) => (
          <th key={figure} scope="col" className="right numeric">
            {figure}
          </th>
        ))}
        {LAYER_IDS.map((layer) => (
          <th key={layer} scope="col" className="right numeric">
            <LayerSwatch layers={[layer]} /> {layerNames[layer]}
          </th>
        ))}
      </tr>
    </thead>
  )
}

interface RunRowsProps {
  kind: TiedKind
  compared: TestRun
  isSelected: boolean
  onSelect: () => void
  isCharted: boolean
  onChart: () => void
  onRemove: (() => void) | null
}

function RunRows({ kind, compared, isSelected, onSelect, isCharted, onChart, onRemove }: RunRowsProps) {
  const { run } = compared
  const directions = shownDirections(compared)
  const scale = scaleOf(compared)
  const what = run.disk_id === null ? testRunsCopy.nouns[kind] : testRunsCopy.diskNoun
  const notes = notesOf(compared, what)
  return (
    <tbody>
      {directions.map((each, index) => (
        <tr key={each.direction}>
          {index === 0 && (
            <th scope="rowgroup" rowSpan={directions.length}>
              <div className={`${styles.run} stack gap-4`}>
                <Name focusable>{run.name}</Name>
                <span className="muted small breaks">
                  {testRunsCopy.tool(run.tool, run.tool_version, run.file_name)}
                </span>
                <span className="muted small">{settingsWords(run)}</span>
                {run.disk_id !== null && (
                  <span className="muted small">{testRunsCopy.onDisk(run.disk ?? testRunsCopy.removedDisk)}</span>
                )}
                <RunTime kind={kind} compared={compared} />
                {run.offset_s !== null && (
                  <span className="muted small">{testRunsCopy.clock(aheadText(run.offset_s), kind)}</span>
                )}
                <div className="row wrap gap-8">
                  <Checkbox
                    size="sm"
                    label={testRunsCopy.compare}
                    aria-label={testRunsCopy.compareNamed(`${run.name}, ${run.file_name}`)}
                    checked={isSelected}
                    onChange={onSelect}
                  />
                  {run.has_series && (
                    <Button
                      variant="default"
                      size="xs"
                      aria-expanded={isCharted}
                      aria-label={testRunsCopy.showLatencyNamed(`${run.name}, ${run.file_name}`)}
                      onClick={onChart}
                    >
                      {testRunsCopy.showLatency}
                    </Button>
                  )}
                  {onRemove !== null && (
                    <Button
                      variant="default"
                      size="xs"
                      aria-label={testRunsCopy.removeNamed(run.file_name)}
                      onClick={onRemove}
                    >
                      {testRunsCopy.remove}
                    </Button>
                  )}
                </div>
              </div>
            </th>
          )}
          <td>{testRunsCopy.directions[each.direction]}</td>
          <Figures compared={each} scale={scale} what={what} />
          <Layers compared={each} scale={scale} />
        </tr>
      ))}
      <tr>
        <td colSpan={FIGURES.length + LAYER_IDS.length + 2} className={styles.notes}>
          <p className="pretty">
            <Worded>{compared.sentence}</Worded>
          </p>
          {notes.length > 0 && (
            <ul className={`${styles.list} stack gap-4 muted small`}>
              {notes.map((note) => (
                <li key={note} className="pretty">
                  <Worded>{note}</Worded>
                </li>
              ))}
            </ul>
          )}
        </td>
      </tr>
    </tbody>
  )
}

/** Leads to the page of what the run is tied to over these minutes. */
function RunTime({ kind, compared: { run, window } }: { kind: TiedKind; compared: TestRun }) {
  const { zone } = usePreferences()
  if (window === null || run.starts_at === null || run.ends_at === null)
    return <span className="muted small">{testRunsCopy.timeUnknown}</span>
  const [from_ms, to_ms] = [Date.parse(window.from_at), Date.parse(window.to_at)]
  const search = rangeSearch({ kind: 'fixed', from_ms, to_ms })
  return (
    <NameLink to={`/${kind}/${run.subject.id}`} search={{ ...search }}>
      {formatWindow(Date.parse(run.starts_at), Date.parse(run.ends_at), zone)}
    </NameLink>
  )
}

interface CellsProps {
  compared: ComparedDirection
  scale: LatencyScale
}

function Figures({ compared: { figures, iops, remainder }, scale, what }: CellsProps & { what: string }) {
  const latencies = [figures.mean_us, figures.p50_us, figures.p99_us]
  return (
    <>
      <td className="right numeric">
        {figures.ops_per_s === null ? <Unmeasured /> : formatRate(figures.ops_per_s)}
        {iops !== null && (
          <span className={`${styles.below} small muted`}>{testRunsCopy.iopsOf(what, formatRate(iops))}</span>
        )}
      </td>
      <td className="right numeric">
        {figures.bytes_per_s === null ? <Unmeasured /> : formatBytesPerSecond(figures.bytes_per_s)}
      </td>
      {latencies.map((us, index) => (
        <td key={FIGURES[index + 2]} className="right numeric">
          {us === null ? <Unmeasured /> : formatLatencyIn(us, scale)}
        </td>
      ))}
      <td className="right numeric">{remainder === null ? <Unmeasured /> : <Ranged {...remainder} scale={scale} />}</td>
    </>
  )
}

/** Layers that are not separable share a cell. */
function Layers({ compared: { layers }, scale }: CellsProps) {
  const first = new Map(layers.map((layer) => [layer.layers[0], layer]))
  const inside = new Set(layers.flatMap((layer) => layer.layers))
  return (
    <>
      {LAYER_IDS.map((id) => {
        const layer = first.get(id)
        if (layer === undefined && inside.has(id)) return <Fragment key={id} />
        return (
          <td key={id} className="right numeric" colSpan={layer?.layers.length ?? 1}>
            {layer === undefined ? <Unmeasured /> : <Ranged {...layer} scale={scale} />}
            {layer !== undefined && layer.layers.length > 1 && (
              <span className={`${styles.below} small muted`}>{layer.label}</span>
            )}
          </td>
        )
      })}
    </>
  )
}

interface RangedProps {
  us: number
  lower_us: number
  upper_us: number
  scale: LatencyScale
}

function Ranged({ us, lower_us, upper_us, scale }: RangedProps) {
  return (
    <>
      {latencyText(us, scale)}
      <span className={`${styles.below} small muted`}>{rangeText(lower_us, upper_us, scale)}</span>
    </>
  )
}

const Unmeasured = () => <span className="faint">{NOT_MEASURED}</span>
