/** Reads a chart over time where the pointer is: a line for all charts of the page, a box of numbers for this one.
 *  Neither is part of the drawing: a thousand points would have to be painted again at every move. */

import type { ECharts } from 'echarts/core'
import { moveCursor } from './cursorTime'

export interface TimeCursor {
  /** Start of each bucket, in order; `step_s` is its length. */
  times_ms: readonly number[]
  step_s: number
  /** What the box says of a bucket; null: nothing. */
  read: (index: number) => HTMLElement | null
}

interface Point {
  x: number
  y: number
}

const GAP_PX = 24

/** The bucket that holds an instant; null outside of all. */
export function bucketAt({ times_ms, step_s }: TimeCursor, at_ms: number): number | null {
  let [low, high] = [0, times_ms.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times_ms[middle] ?? Number.NaN) <= at_ms) low = middle + 1
    else high = middle
  }
  const start_ms = times_ms[low - 1]
  return start_ms !== undefined && at_ms < start_ms + step_s * 1000 ? low - 1 : null
}

/** On the side of the pointer that has more room, inside the chart: the numbers must not cover what they describe. */
export function besidePointer({ x, y }: Point, width: number, height: number): string {
  const left = x > width / 2 ? `calc(${x - GAP_PX}px - 100%)` : `${x + GAP_PX}px`
  return `translate(clamp(0px, ${left}, calc(${width}px - 100%)), clamp(0px, calc(${y}px - 50%), calc(${height}px - 100%)))`
}

/** Follows the pointer over `host` until what it answers is called. */
export function readByPointer(
  chart: ECharts,
  host: HTMLElement,
  box: HTMLElement,
  cursor: { readonly current: TimeCursor | undefined },
): () => void {
  let pointer: Point | null = null
  let shown: number | null = null
  let isDrawn = false

  function read(point: Point | null) {
    const was = shown
    const found = point === null || !isDrawn ? null : bucketUnder(point)
    shown = found?.index ?? null
    if (found === null || point === null) {
      box.hidden = true
      if (was !== null) moveCursor(null)
      return
    }
    if (shown !== was) {
      fill(found.cursor.read(found.index))
      moveCursor((found.cursor.times_ms[found.index] ?? 0) + found.cursor.step_s * 500)
    }
    box.style.transform = besidePointer(point, chart.getWidth(), chart.getHeight())
  }

  function bucketUnder({ x }: Point) {
    const now = cursor.current
    const at_ms: unknown = chart.convertFromPixel({ xAxisIndex: 0 }, x)
    const index = now && typeof at_ms === 'number' ? bucketAt(now, at_ms) : null
    return now === undefined || index === null ? null : { cursor: now, index }
  }

  function fill(words: HTMLElement | null) {
    box.hidden = words === null
    box.replaceChildren(...(words === null ? [] : [words]))
  }

  function move(event: PointerEvent) {
    const { left, top } = host.getBoundingClientRect()
    pointer = { x: event.clientX - left, y: event.clientY - top }
    read(pointer)
  }
  function leave() {
    pointer = null
    read(null)
  }
  // A finger that is lifted leaves its reading behind, until something else is touched.
  function leftBy({ pointerType }: PointerEvent) {
    if (pointerType !== 'touch') leave()
  }
  function pressedElsewhere({ target }: PointerEvent) {
    if (pointer !== null && !host.contains(target as Node)) leave()
  }
  // Other numbers may be under a pointer that rests.
  function drawn() {
    isDrawn = true
    if (pointer === null) return
    shown = null
    read(pointer)
  }

  chart.on('rendered', drawn)
  host.addEventListener('pointerdown', move)
  host.addEventListener('pointermove', move)
  host.addEventListener('pointerleave', leftBy)
  window.addEventListener('pointerdown', pressedElsewhere)
  return () => {
    leave()
    chart.off('rendered', drawn)
    host.removeEventListener('pointerdown', move)
    host.removeEventListener('pointermove', move)
    host.removeEventListener('pointerleave', leftBy)
    window.removeEventListener('pointerdown', pressedElsewhere)
  }
}
