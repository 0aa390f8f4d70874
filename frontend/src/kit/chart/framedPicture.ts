/** A chart's drawing under its title, window and legend, so that a picture in a report explains itself. */

import type { LegendWord } from './Words'

const MARGIN = 32
const HEAD = 84
const ROW = 32
const MARK = 44
const GAP = 28
const LEGEND_FONT = 22

interface Words {
  title: string
  subtitle: string
  legend: readonly LegendWord[]
}

interface Colors {
  background: string
  text: string
  muted: string
  font: string
}

/** Which row each word of the legend stands in and how far from the left, `widths` in px: no word is left out. */
export function legendPlaces(widths: readonly number[], room: number): { row: number; x: number }[] {
  let [row, x] = [0, 0]
  return widths.map((width) => {
    const needed = MARK + width
    if (x > 0 && x + needed > room) [row, x] = [row + 1, 0]
    const place = { row, x }
    x += needed + GAP
    return place
  })
}

export function framedPicture(drawing: HTMLCanvasElement, words: Words, colors: Colors): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  const pen = canvas.getContext('2d')
  if (pen === null) return drawing
  const legendFont = `${LEGEND_FONT}px ${colors.font}`
  pen.font = legendFont
  const widths = words.legend.map(({ label }) => pen.measureText(label).width)
  const places = legendPlaces(widths, drawing.width)
  const head = MARGIN + HEAD + ROW * (1 + (places.at(-1)?.row ?? -1))
  // A new size forgets the pen.
  canvas.width = drawing.width + 2 * MARGIN
  canvas.height = head + drawing.height + MARGIN
  pen.fillStyle = colors.background
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.fillStyle = colors.text
  pen.font = `600 32px ${colors.font}`
  pen.fillText(words.title, MARGIN, MARGIN + 28, drawing.width)
  pen.fillStyle = colors.muted
  pen.font = `24px ${colors.font}`
  pen.fillText(words.subtitle, MARGIN, MARGIN + 64, drawing.width)
  for (const [index, word] of words.legend.entries()) {
    const { row, x } = places[index] ?? { row: 0, x: 0 }
    const [left, middle] = [MARGIN + x, MARGIN + HEAD + ROW * (row + 0.5)]
    drawMark(pen, word, left, middle, colors)
    pen.font = legendFont
    pen.fillStyle = colors.muted
    pen.fillText(word.label, left + MARK, middle + 8, drawing.width - MARK)
  }
  pen.drawImage(drawing, MARGIN, head)
  return canvas
}

const DASHES = { solid: [], dashed: [10, 6], points: [3, 4] } as const
const FILL = { width: 24, height: 18 }

function drawMark(
  pen: CanvasRenderingContext2D,
  { color, mark }: LegendWord,
  x: number,
  middle: number,
  { background, font }: Colors,
): void {
  pen.fillStyle = color
  pen.strokeStyle = color
  pen.lineWidth = 3
  const box = [x, middle - FILL.height / 2, FILL.width, FILL.height] as const
  if (typeof mark === 'object') {
    pen.font = `600 ${LEGEND_FONT}px ${font}`
    pen.fillText(mark.sign, x, middle + 8)
  } else if (mark === 'outline') pen.strokeRect(...box)
  else if (mark === 'whisker') {
    stroke(pen, [x, middle], [x + FILL.width, middle])
    for (const end of [x, x + FILL.width]) stroke(pen, [end, middle - 8], [end, middle + 8])
  } else if (mark === 'solid' || mark === 'dashed' || mark === 'points') {
    pen.setLineDash([...DASHES[mark]])
    stroke(pen, [x, middle], [x + 34, middle])
    pen.setLineDash([])
  } else {
    pen.fillRect(...box)
    if (mark !== 'fill') drawPattern(pen, mark, box, background)
  }
}

function stroke(pen: CanvasRenderingContext2D, from: readonly [number, number], to: readonly [number, number]): void {
  pen.beginPath()
  pen.moveTo(...from)
  pen.lineTo(...to)
  pen.stroke()
}

function drawPattern(
  pen: CanvasRenderingContext2D,
  mark: 'hatched' | 'dotted',
  [x, y, width, height]: readonly [number, number, number, number],
  ink: string,
): void {
  pen.save()
  pen.beginPath()
  pen.rect(x, y, width, height)
  pen.clip()
  pen.strokeStyle = ink
  pen.fillStyle = ink
  if (mark === 'hatched')
    for (let at = x - height; at < x + width; at += 8) stroke(pen, [at, y + height], [at + height, y])
  else
    for (let row = 0; row < 3; row++) for (let at = 0; at < 4; at++) pen.fillRect(x + 3 + at * 6, y + 3 + row * 6, 3, 3)
  pen.restore()
}
