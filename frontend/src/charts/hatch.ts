/** Hatching: what is missing, inferred or unexplained is striped, so that color is never the only sign. */

const STEP_PX = 7

export interface Rect {
  x: number
  y: number
  width: number
  height: number
}

interface HatchLook {
  stepPx?: number
  opacity?: number
}

/** Diagonal lines over a rectangle, as children of a clipped group. */
export function hatchLines(rect: Rect, color: string, { stepPx = STEP_PX, opacity = 0.45 }: HatchLook = {}) {
  const lines = []
  for (let x = rect.x - rect.height; x < rect.x + rect.width; x += stepPx) {
    lines.push({
      type: 'line' as const,
      shape: { x1: x, y1: rect.y + rect.height, x2: x + rect.height, y2: rect.y },
      style: { stroke: color, lineWidth: 1, opacity },
    })
  }
  return lines
}

const DOT_STEP_PX = 5
const DOT_RADIUS_PX = 1.1

/** Dots over a rectangle, every other row set off, as children of a clipped group. */
export function hatchDots(rect: Rect, color: string) {
  const rows = Math.max(1, Math.floor(rect.height / DOT_STEP_PX))
  const dots = []
  for (let row = 0; row < rows; row++) {
    const y = rect.y + ((row + 0.5) * rect.height) / rows
    for (let x = rect.x + (row % 2 === 0 ? 2.5 : 5); x < rect.x + rect.width; x += DOT_STEP_PX)
      dots.push({ type: 'circle' as const, shape: { cx: x, cy: y, r: DOT_RADIUS_PX }, style: { fill: color } })
  }
  return dots
}

/** A pattern of dots for filled shapes, in ECharts' own words. */
export function dotDecal(color: string) {
  return {
    symbol: 'circle',
    symbolSize: 0.75,
    color: color,
    dashArrayX: [
      [3, 3],
      [0, 3, 3, 0],
    ],
    dashArrayY: [3, 0],
  }
}

/** A stripe pattern for filled shapes, in ECharts' own words. */
export function hatchDecal(color: string) {
  return {
    symbol: 'rect',
    symbolSize: 1,
    color: color,
    dashArrayX: [1, 0],
    dashArrayY: [1, 5],
    rotation: -Math.PI / 4,
  }
}
