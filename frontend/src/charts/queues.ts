/** I/Os against what the queues hold, over time: in flight and waiting stacked, the depth a line over them, once for all queues together and once for the fullest. */

import { latencyScale } from '../lib/units'
import { type GapBand, niceMax, type Panel, type PanelLine, reach } from './panels'
import type { LineColour } from './tokens'

type Values = readonly (number | null)[]

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
    panel('queues', 'I/Os outstanding', 'against the depth of its queues', sumLines(data), gaps, hidden),
    ...(alone
      ? []
      : [
          named(
            fullest,
            panel('fullest', 'Fullest queue', 'one device of one host', lines('fullest', fullest), gaps, hidden),
          ),
        ]),
  ].filter((one) => one !== null)
}

/** Every line of the strips that is anywhere above zero, once, for the legend. */
export function queueLegend(data: QueueData): PanelLine[] {
  return sumLines(data).filter(({ values }) => values.some((value) => value !== null && value > 0))
}

function panel(
  id: string,
  title: string,
  hint: string,
  all: readonly PanelLine[],
  gaps: readonly GapBand[],
  hidden: ReadonlySet<string>,
): Panel | null {
  if (!all.some(({ values }) => values.some((value) => value !== null))) return null
  const shown = all.filter(({ key }) => !hidden.has(key))
  const max = niceMax(reach(shown), 2)
  return { id, title, hint, unit: 'I/Os', weight: 'short', lines: shown, gaps: [...gaps], max, scale: latencyScale(0) }
}

/** Which queue it was in each bucket. */
function named(fullest: NonNullable<QueueData['fullest']>, found: Panel | null): Panel | null {
  if (found === null) return null
  const notes = fullest.queue.map((position) => {
    const queue = position === null ? undefined : fullest.queues[position]
    return queue === undefined ? null : `Fullest queue: ${queue.host.name}, ${queue.device.name}`
  })
  return { ...found, notes }
}

function sumLines(data: QueueData): PanelLine[] {
  return [
    ...lines('queues', data),
    {
      ...line('queues', 'outstanding', 'Outstanding in virtual disks', data.outstanding_ios, { ink: 'total' }),
      stroke: 'dashed',
      width: 1.5,
    },
  ]
}

function lines(id: string, { in_flight_ios, waiting_ios, depth }: QueueNumbers): PanelLine[] {
  return [
    { ...line(id, 'in_flight', 'In flight at devices', in_flight_ios, { ink: 'in_flight' }), shape: 'band' },
    {
      ...line(id, 'waiting', 'Waiting in the kernel', waiting_ios, { layer: 'kernel_queue' }),
      shape: 'band',
      hatched: true,
    },
    { ...line(id, 'depth', 'Queue depth', depth, { ink: 'boundary' }), stroke: 'dotted', width: 2, isStepped: true },
  ]
}

function line(id: string, key: string, label: string, values: Values, colour: LineColour): PanelLine {
  return {
    id: `${id}.${key}`,
    key,
    row: `${id}.${key}`,
    label: id === 'fullest' ? `${label}, fullest queue` : label,
    legend: label,
    side: 'host',
    shape: 'line',
    stroke: 'solid',
    colour,
    direction: 'all',
    unit: 'I/Os',
    precision: null,
    values,
  }
}
