/** Hatching: what is missing, inferred or unexplained is striped, so that colour is never the only sign. */

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
export function hatchLines(rect: Rect, colour: string, { stepPx = STEP_PX, opacity = 0.45 }: HatchLook = {}) {
  const lines = []
  for (let x = rect.x - rect.height; x < rect.x + rect.width; x += stepPx) {
    lines.push({
      type: 'line' as const,
      shape: { x1: x, y1: rect.y + rect.height, x2: x + rect.height, y2: rect.y },
      style: { stroke: colour, lineWidth: 1, opacity },
    })
  }
  return lines
}

/** A stripe pattern for filled shapes, in ECharts' own words. */
export function hatchDecal(colour: string) {
  return {
    symbol: 'rect',
    symbolSize: 1,
    color: colour,
    dashArrayX: [1, 0],
    dashArrayY: [1, 5],
    rotation: -Math.PI / 4,
  }
}
