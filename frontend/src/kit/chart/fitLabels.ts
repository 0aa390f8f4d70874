/** Labels of a chart that have too little room are left out whole: a letter or two of a name, or a number without its unit, tell nothing. */

import type { ECharts } from 'echarts/core'

/** What the drawing library keeps of a text: `width` and `height` are the room that its tile gives it. */
interface DrawnText {
  style: { text?: string; width?: number; height?: number; lineHeight?: number }
  ignore: boolean
  setStyle: (style: { text: string }) => void
  dirty: () => void
}

/** Of a letter of 12 px, rather too much. */
const LETTER_PX = 6.6

/**
 * Leaves out what has less than `least_px`, and lines below the first that would be cut. To be called whenever the chart was drawn: its
 * layout is known only then.
 */
export function fitLabels(chart: Pick<ECharts, 'getZr'>, least_px: number): void {
  chart.getZr().storage.traverse((element) => {
    const label = (element as { getTextContent?: () => unknown }).getTextContent?.() as DrawnText | null | undefined
    if (label?.style.width === undefined || label.ignore) return
    if (label.style.width < least_px) {
      label.ignore = true
      label.dirty()
      return
    }
    const { text = '' } = label.style
    const [first = '', ...more] = text.split('\n')
    if (more.length > 0 && !fits(more, label.style)) label.setStyle({ text: first })
  })
}

/** Without the style that it is written in. */
const bare = (line: string) => line.replace(/^\{\w+\|(.*)\}$/, '$1')

function fits(more: readonly string[], { width = 0, height, lineHeight = 16 }: DrawnText['style']): boolean {
  const isHigh = height === undefined || height >= lineHeight * (1 + more.length)
  return isHigh && more.every((text) => [...bare(text)].length * LETTER_PX <= width)
}
