/** The one place that owns an ECharts instance: size, theme, pointer, brush and disposal. Loaded only when a chart is shown. */

import type { ECharts, EChartsCoreOption } from 'echarts/core'
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import styles from './Chart.module.css'
import { followCursor } from './cursorTime'
import { Drawing } from './drawing'
import { init } from './echarts'
import { fitLabels } from './fitLabels'
import { readByPointer, type TimeCursor } from './timeCursor'

export interface CanvasHandle {
  /** The drawing at twice the screen's resolution. */
  picture: (background: string) => HTMLCanvasElement | null
}

interface CanvasProps {
  option: EChartsCoreOption
  /** In px, or of the box that it is in. */
  height: number | '100%'
  label: string
  /** Moves the cursor of all the page's charts over time, and says what this one shows at it. */
  cursor?: TimeCursor | undefined
  /** Told the two times between which the pointer was dragged. */
  onBrush?: ((a_ms: number, b_ms: number) => void) | undefined
  /** Labels with less room are left out. */
  leastLabel_px?: number | undefined
  /** Told the id of what was clicked. */
  onPick?: ((id: string) => void) | undefined
  ref?: Ref<CanvasHandle>
}

export default function Canvas({
  option,
  height,
  label,
  cursor,
  leastLabel_px = 0,
  onBrush,
  onPick,
  ref,
}: CanvasProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing | null>(null)
  const line = useRef<HTMLDivElement>(null)
  const words = useRef<HTMLDivElement>(null)
  const [brush, setBrush] = useState<Brush | null>(null)
  const handlers = useRef({ onBrush, onPick })
  const reading = useRef(cursor)
  const isOverTime = cursor !== undefined

  // What listens outside React asks for the newest of them.
  useLayoutEffect(() => {
    handlers.current = { onBrush, onPick }
    reading.current = cursor
  })

  useEffect(() => {
    const host = box.current
    if (host === null) return
    const instance = init(host, null, { renderer: 'canvas' })
    const own = new Drawing(instance, host)
    drawing.current = own
    instance.on('click', ({ data }) => {
      const id = (data as { id?: unknown } | undefined)?.id
      if (typeof id === 'string') handlers.current.onPick?.(id)
    })
    if (leastLabel_px > 0) instance.on('rendered', () => fitLabels(instance, leastLabel_px))
    const stops = isOverTime
      ? [
          followCursor((at_ms) => placeCursor(line.current, instance, at_ms)),
          readByPointer(instance, host, words.current as HTMLDivElement, reading),
        ]
      : []
    const stopBrush = followBrush(instance, host, setBrush, handlers)
    return () => {
      stopBrush()
      for (const stop of stops) stop()
      own.end()
      instance.dispose()
      drawing.current = null
    }
  }, [isOverTime, leastLabel_px])

  useEffect(() => drawing.current?.show(option), [option])

  useImperativeHandle(ref, () => ({ picture: (background) => drawing.current?.picture(background) ?? null }))

  return (
    <div className="full relative" style={{ height }}>
      <div ref={box} role="img" aria-label={label} className={styles.surface} />
      <div ref={line} className={styles.cursor} data-testid="cursor" hidden aria-hidden="true" />
      <div ref={words} className={styles.cursorWords} hidden aria-hidden="true" />
      {brush && <div className={styles.brush} style={{ left: brush.left, width: brush.width }} aria-hidden="true" />}
    </div>
  )
}

/** The line at which the page's charts are being read: no part of the drawing, which moving it would mean to paint again. */
function placeCursor(line: HTMLElement | null, chart: ECharts, at_ms: number | null) {
  if (line === null) return
  const x = at_ms === null ? Number.NaN : (chart.convertToPixel({ xAxisIndex: 0 }, at_ms) as unknown as number)
  line.hidden = !(x >= 0 && x <= chart.getWidth())
  if (!line.hidden) line.style.transform = `translateX(${x}px)`
}

interface Brush {
  left: number
  width: number
}

const SMALLEST_DRAG_PX = 6

/** Watches a drag over the plot and reports it as two times. Answers the way to stop watching. */
function followBrush(
  chart: ECharts,
  host: HTMLElement,
  show: (brush: Brush | null) => void,
  handlers: { readonly current: Pick<CanvasProps, 'onBrush'> },
) {
  let start: number | null = null
  const positionOf = (event: PointerEvent) => event.clientX - host.getBoundingClientRect().left
  const timeAt = (x: number) => chart.convertFromPixel({ xAxisIndex: 0 }, x) as unknown as number

  function down(event: PointerEvent) {
    const isDrag = event.button === 0 && event.pointerType !== 'touch'
    if (isDrag && handlers.current.onBrush !== undefined) start = positionOf(event)
  }
  function move(event: PointerEvent) {
    if (start === null) return
    const x = positionOf(event)
    if (Math.abs(x - start) > SMALLEST_DRAG_PX) show({ left: Math.min(start, x), width: Math.abs(x - start) })
  }
  function up(event: PointerEvent) {
    if (start === null) return
    const [from, to] = [start, positionOf(event)]
    start = null
    show(null)
    if (Math.abs(to - from) > SMALLEST_DRAG_PX) handlers.current.onBrush?.(timeAt(from), timeAt(to))
  }

  host.addEventListener('pointerdown', down)
  window.addEventListener('pointermove', move)
  window.addEventListener('pointerup', up)
  return () => {
    host.removeEventListener('pointerdown', down)
    window.removeEventListener('pointermove', move)
    window.removeEventListener('pointerup', up)
  }
}
