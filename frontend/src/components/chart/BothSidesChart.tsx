/** The array's and the hosts' own numbers for one object, on one time axis under one cursor. */

import { useCallback, useMemo } from 'react'
import { numbersOf } from '../../charts/numbers'
import { legendOf, panelsOf } from '../../charts/panels'
import { levelLabel, levelOf, type SeriesData, type SeriesGroup } from '../../charts/series'
import { timePanelsHeight, timePanelsOption } from '../../charts/timePanels'
import { colourOf } from '../../charts/tokens'
import { cursorReading } from '../../charts/tooltip'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { brushedRange, rangeSearch } from '../../lib/range'
import { formatSeconds, formatWindow } from '../../lib/time'
import { stringifySearch, useRange, useSearchParameter } from '../../lib/url'
import { Chart } from './Chart'
import { cursorElement } from './cursorElement'
import { Legend } from './Legend'
import { useTokens } from './useTokens'

interface BothSidesChartProps {
  /** Name of the object. */
  name: string
  series: SeriesData
  groups: readonly SeriesGroup[]
  onCursor?: (index: number | null) => void
}

export function BothSidesChart({ name, series, groups, onCursor }: BothSidesChartProps) {
  const { zone } = usePreferences()
  const tokens = useTokens()
  const [, setRange] = useRange()
  const { hidden, toggle } = useHiddenLines()
  const canDrag = useMediaMatch('(pointer: fine)')
  const legend = useMemo(() => legendOf(series, groups), [series, groups])
  const numbers = useMemo(() => numbersOf(series, groups), [series, groups])
  const panels = useMemo(() => panelsOf(series, groups, hidden), [series, groups, hidden])
  const from_ms = Date.parse(series.from_at)
  const to_ms = Date.parse(series.to_at)
  const label = describe(name, groups)

  const option = useMemo(() => {
    const events = series.events.map((event) => ({ at_ms: Date.parse(event.at), text: event.text }))
    const base = timePanelsOption({
      times_ms: series.times_ms,
      step_s: series.step_s,
      from_ms,
      to_ms,
      panels,
      events,
      zone,
      tokens,
      label,
    })
    const cursor = { panels, times_ms: series.times_ms, step_s: series.step_s, zone, events }
    return { ...base, tooltip: tooltip((index) => cursorElement(cursorReading(cursor, index), tokens), tokens.ink) }
  }, [series, from_ms, to_ms, panels, zone, tokens, label])

  const onBrush = useCallback(
    (a_ms: number, b_ms: number) => {
      const range = brushedRange(a_ms, b_ms)
      if (range) setRange(range)
    },
    [setRange],
  )

  return (
    <Chart
      title="Latency of both sides"
      exportTitle={`Latency of ${name}`}
      windowText={formatWindow(from_ms, to_ms, zone)}
      hint={`one point per ${formatSeconds(series.step_s)}${series.resolution === 'raw' ? '' : `, from ${series.resolution} sums`}${canDrag ? ' · drag to zoom' : ''}`}
      label={label}
      option={option}
      height={timePanelsHeight(panels)}
      numbers={numbers}
      legend={<Legend lines={legend} hidden={hidden} onToggle={toggle} />}
      legendWords={legend
        .filter((line) => !hidden.has(line.key))
        .map((line) => ({ label: line.legend, colour: colourOf(line, tokens) }))}
      permalink={permalink(from_ms, to_ms)}
      onCursor={onCursor}
      onBrush={onBrush}
    />
  )
}

function describe(name: string, groups: readonly SeriesGroup[]): string {
  const sides = [...new Set(groups.map((group) => levelLabel(levelOf(group)).toLowerCase()))]
  return `Latency and I/O rate of ${name} over time as measured by ${sides.join(' and ') || 'nobody'}`
}

/** This page with absolute times: shows everyone the same numbers, today and next week. */
function permalink(from_ms: number, to_ms: number): string {
  const search = {
    ...Object.fromEntries(new URLSearchParams(location.search)),
    ...rangeSearch({ kind: 'fixed', from_ms, to_ms }),
  }
  return location.origin + location.pathname + stringifySearch(search)
}

function tooltip(render: (index: number) => HTMLElement, ink: { sunken: string; border: string }) {
  return {
    trigger: 'axis' as const,
    confine: true,
    position: besideCursor,
    transitionDuration: 0,
    backgroundColor: ink.sunken,
    borderColor: ink.border,
    padding: 10,
    formatter: (params: unknown) => {
      const first = (params as { dataIndex: number }[])[0]
      return first ? render(first.dataIndex) : ''
    },
  }
}

/** On the side of the cursor that has more room: the numbers must not cover what they describe. */
function besideCursor(
  point: [number, number],
  _params: unknown,
  _element: unknown,
  _rect: unknown,
  size: { contentSize: [number, number]; viewSize: [number, number] },
): [number, number] {
  const gap = 24
  const left = point[0] > size.viewSize[0] / 2 ? point[0] - size.contentSize[0] - gap : point[0] + gap
  return [left, Math.max(0, Math.min(point[1] - size.contentSize[1] / 2, size.viewSize[1] - size.contentSize[1]))]
}

/** Which lines are switched off, kept in the URL so that a link shows the same lines. */
function useHiddenLines() {
  const [text, setText] = useSearchParameter('hide', '')
  const hidden = useMemo(() => new Set(text ? text.split(',') : []), [text])
  const toggle = useCallback(
    (key: string) => {
      const next = new Set(hidden)
      if (!next.delete(key)) next.add(key)
      setText([...next].sort().join(','), { replace: true })
    },
    [hidden, setText],
  )
  return { hidden, toggle }
}
