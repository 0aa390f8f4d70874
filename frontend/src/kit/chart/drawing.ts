/** When a chart is drawn: while it is in sight, and one chart after the other. */

import type { ECharts, EChartsCoreOption } from 'echarts/core'

const waiting = new Set<Drawing>()
let isAwaited = false

/** Each has a frame of its own: a key or a press waits for one chart at most. */
function awaitTurn() {
  if (isAwaited || waiting.size === 0) return
  isAwaited = true
  requestAnimationFrame(() => setTimeout(drawNext))
}

function drawNext() {
  isAwaited = false
  const [next] = waiting
  try {
    next?.draw()
  } finally {
    awaitTurn()
  }
}

const NEAR = '200px 0px'

type Chart = Pick<ECharts, 'setOption' | 'resize' | 'getWidth' | 'getHeight' | 'renderToCanvas'>

/** One chart on the element `host`, until `end`. */
export class Drawing {
  readonly #chart: Chart
  readonly #host: HTMLElement
  readonly #sight: IntersectionObserver
  readonly #size: ResizeObserver
  #option: EChartsCoreOption | null = null
  #isInSight = false

  constructor(chart: Chart, host: HTMLElement) {
    this.#chart = chart
    this.#host = host
    this.#sight = new IntersectionObserver((entries) => this.#see(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: NEAR,
    })
    this.#sight.observe(host)
    // Until it is known that it is out of sight, it is to be drawn.
    host.ariaBusy = 'true'
    this.#size = new ResizeObserver(() => this.#await())
    this.#size.observe(host)
  }

  show(option: EChartsCoreOption): void {
    this.#option = option
    this.#await()
  }

  draw(): void {
    waiting.delete(this)
    this.#host.ariaBusy = null
    const isResized = this.#isResized()
    // Parts that are gone are replaced, the rest stays in place: a refresh neither flashes nor closes the tooltip.
    if (this.#option !== null)
      this.#chart.setOption(this.#option, {
        replaceMerge: ['series', 'grid', 'xAxis', 'yAxis'],
        // A new size draws by itself.
        lazyUpdate: isResized,
      })
    this.#option = null
    if (isResized) this.#chart.resize()
  }

  /** At twice the screen's resolution, of what is to be shown now. */
  picture(background: string): HTMLCanvasElement {
    this.draw()
    return this.#chart.renderToCanvas({ pixelRatio: 2, backgroundColor: background })
  }

  end(): void {
    waiting.delete(this)
    this.#sight.disconnect()
    this.#size.disconnect()
  }

  #see(isInSight: boolean): void {
    this.#isInSight = isInSight
    if (!isInSight) this.#host.ariaBusy = null
    this.#await()
  }

  #isResized(): boolean {
    const { clientWidth, clientHeight } = this.#host
    return clientWidth !== this.#chart.getWidth() || clientHeight !== this.#chart.getHeight()
  }

  #await(): void {
    if (!this.#isInSight || (this.#option === null && !this.#isResized())) return
    this.#host.ariaBusy = 'true'
    waiting.add(this)
    awaitTurn()
  }
}
