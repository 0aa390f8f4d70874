/** Hands a file to the viewer. */

export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser reads the address after the click returns.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** "Latency of ds-prod-01" → "latency-of-ds-prod-01": safe on every file system. */
export function fileStem(title: string): string {
  const stem = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  return stem.slice(0, 80) || 'gavel'
}

const MARGIN = 32
const HEAD = 104

/** A chart's drawing under its title and window, so that a picture in a report explains itself. */
export function framedPicture(
  drawing: HTMLCanvasElement,
  words: { title: string; subtitle: string; legend: readonly { label: string; colour: string }[] },
  colours: { background: string; text: string; muted: string; font: string },
): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = drawing.width + 2 * MARGIN
  canvas.height = drawing.height + HEAD + 2 * MARGIN
  const pen = canvas.getContext('2d')
  if (pen === null) return drawing
  pen.fillStyle = colours.background
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.fillStyle = colours.text
  pen.font = `600 32px ${colours.font}`
  pen.fillText(words.title, MARGIN, MARGIN + 28, canvas.width - 2 * MARGIN)
  pen.fillStyle = colours.muted
  pen.font = `24px ${colours.font}`
  pen.fillText(words.subtitle, MARGIN, MARGIN + 64, canvas.width - 2 * MARGIN)
  drawLegend(pen, words.legend, colours, canvas.width)
  pen.drawImage(drawing, MARGIN, HEAD + MARGIN)
  return canvas
}

function drawLegend(
  pen: CanvasRenderingContext2D,
  legend: readonly { label: string; colour: string }[],
  colours: { muted: string; font: string },
  width: number,
): void {
  pen.font = `22px ${colours.font}`
  let x = MARGIN
  for (const { label, colour } of legend) {
    const needed = 30 + pen.measureText(label).width + 28
    if (x + needed > width - MARGIN) return
    pen.fillStyle = colour
    pen.fillRect(x, MARGIN + 84, 20, 16)
    pen.fillStyle = colours.muted
    pen.fillText(label, x + 30, MARGIN + 99)
    x += needed
  }
}
