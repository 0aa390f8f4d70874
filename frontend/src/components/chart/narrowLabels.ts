/** Labels of a chart that have too little room are left out: a letter or two of a name tell nothing. */

import type { ECharts } from 'echarts/core'

/** What the drawing library keeps of a text: `style.width` is the room that its tile gives it. */
interface DrawnText {
  style: { width?: number }
  ignore: boolean
  dirty: () => void
}

/** Leaves out what has less than `least_px`. To be called whenever the chart was drawn: its layout is known only then. */
export function hideNarrowLabels(chart: Pick<ECharts, 'getZr'>, least_px: number): void {
  chart.getZr().storage.traverse((element) => {
    const label = (element as { getTextContent?: () => unknown }).getTextContent?.() as DrawnText | null | undefined
    if (label?.style.width === undefined || label.ignore || label.style.width >= least_px) return
    label.ignore = true
    label.dirty()
  })
}
