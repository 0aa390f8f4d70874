/** I/Os against what the queues hold, over time: in flight and waiting stacked, once for all queues together and once for the fullest, with the depth of one queue as a line over them. */

import * as outstandingCopy from '../copy/outstanding'
import * as overviewCopy from '../copy/overview'
import { latencyScale } from '../lib/units'
import { type GapBand, niceMax, type Panel, type PanelLine, reach } from './panels'
import type { LineColor } from './tokens'

type Values = readonly (number | null)[]

/** `depth`: of one queue, or null where there are several: depths are never added up. */
interface QueueNumbers {
  /** Below the kernel: what fills the queues. */
  in_flight_ios: Values
  /** In the kernel, for room in a queue. */
  waiting_ios: Values
  depth: Values
}

export interface QueueData extends QueueNumbers {
  /** As the virtual disks counted them. */
  outstanding_ios: Values
  /** `queue`: position in `queues` of the fullest one; null where there is none to tell of. */
  fullest:
    | (QueueNumbers & { queues: readonly { device: { name: string }; host: { name: string } }[]; queue: Values })
    | null
}

/** The sums, and the fullest of several queues: one that is full does not show in a sum. Nothing where nothing was measured. */
export function queuePanels(data: QueueData, gaps: readonly GapBand[], hidden: ReadonlySet<string>): Panel[] {
  const { fullest } = data
  const alone = fullest === null || fullest.queues.length < 2
  return [
    panel(
      'queues',
      overviewCopy.outstandingIo,
      hasAny(data.depth) ? outstandingCopy.againstDepth : outstandingCopy.allQueues,
      sumLines(data),
      gaps,
      hidden,
    ),
    ...(alone
      ? []
      : [
          named(
            fullest,
            panel(
              'fullest',
              outstandingCopy.busiestQueue,
              outstandingCopy.singleQueue,
              lines('fullest', fullest),
              gaps,
              hidden,
            ),
          ),
        ]),
  ].filter((one) => one !== null)
}

/** Every line of the strips that is anywhere above zero, once, for the legend: the depth of several queues is that of the fullest. */
export function queueLegend(data: QueueData): PanelLine[] {
  const sums = sumLines(data)
  const all = data.fullest === null ? sums : [...sums, ...lines('fullest', data.fullest)]
  const shown = all.filter(({ values }) => values.some((value) => value !== null && value > 0))
  return shown.filter(({ key }, at) => shown.findIndex((one) => one.key === key) === at)
}

const hasAny = (values: Values) => values.some((value) => value !== null)

function panel(
  id: string,
  title: string,
  hint: string,
  all: readonly PanelLine[],
  gaps: readonly GapBand[],
  hidden: ReadonlySet<string>,
): Panel | null {
  if (!all.some(({ values }) => hasAny(values))) return null
  const shown = all.filter(({ key }) => !hidden.has(key))
  const max = niceMax(reach(shown), 2)
  return {
    id,
    title,
    hint,
    unit: 'I/Os',
    weight: 'short',
    lines: shown,
    gaps: [...gaps],
    max,
    scale: latencyScale(0),
  }
}

/** Which queue it was in each bucket. */
function named(fullest: NonNullable<QueueData['fullest']>, found: Panel | null): Panel | null {
  if (found === null) return null
  const notes = fullest.queue.map((position) => {
    const queue = position === null ? undefined : fullest.queues[position]
    return queue === undefined ? null : outstandingCopy.busiestQueueName(queue.host.name, queue.device.name)
  })
  return { ...found, notes }
}

function sumLines(data: QueueData): PanelLine[] {
  return [
    ...lines('queues', data),
    {
      ...line('queues', 'outstanding', outstandingCopy.virtualDiskOio, data.outstanding_ios, { ink: 'total' }),
      stroke: 'dashed',
      width: 1.5,
    },
  ]
}

function lines(id: string, { in_flight_ios, waiting_ios, depth }: QueueNumbers): PanelLine[] {
  return [
    { ...line(id, 'in_flight', outstandingCopy.active, in_flight_ios, { ink: 'in_flight' }), shape: 'band' },
    {
      ...line(id, 'waiting', outstandingCopy.queued, waiting_ios, { layer: 'kernel_queue' }),
      shape: 'band',
      hatched: true,
    },
    ...(hasAny(depth) ? [depthLine(id, depth)] : []),
  ]
}

const depthLine = (id: string, depth: Values): PanelLine => ({
  ...line(id, 'depth', outstandingCopy.queueDepth, depth, { ink: 'boundary' }),
  stroke: 'dotted',
  width: 2,
  isStepped: true,
})

function line(id: string, key: string, label: string, values: Values, color: LineColor): PanelLine {
  return {
    id: `${id}.${key}`,
    key,
    row: `${id}.${key}`,
    label: id === 'fullest' ? outstandingCopy.busiestQueueLabel(label) : label,
    legend: label,
    side: 'host',
    shape: 'line',
    stroke: 'solid',
    color,
    direction: 'all',
    unit: 'I/Os',
    precision: null,
    values,
  }
}
