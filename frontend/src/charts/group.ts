/** VMs of a group together over time: how many I/Os are inside each layer, and what an I/O takes there. Pure. */

import * as breakdownCopy from '../copy/breakdown'
import * as commonCopy from '../copy/common'
import * as groupsCopy from '../copy/groups'
import * as overviewCopy from '../copy/overview'
import { latencyScale } from '../lib/units'
import { stretches, unexplained } from './missing'
import { type NumbersTable, numbersOfPanels } from './numbers'
import { type GapBand, niceMax, type Panel, type PanelLine, reach } from './panels'
import { type LayerId, layerLook, pathOrder } from './segments'
import { bandLine, totalLine } from './stack'

type Values = readonly (number | null)[]

/** Over time as the API has it, one value per bucket; null is "not measured". */
export interface GroupData {
  times_ms: readonly number[]
  step_s: number
  minutes_there: readonly number[]
  /** VMs with a minute in the bucket. */
  members_there: readonly number[]
  total_ios: Values
  total_us: Values
  layers: readonly { name: string; label: string; layers: readonly LayerId[]; ios: Values; us: Values }[]
}

interface GroupView {
  hidden: ReadonlySet<string>
  gaps: readonly GapBand[]
}

/** So much of the VMs have to be there for a bucket to be the group's. */
const MOSTLY = 0.95

/** Two stacks in the order of the path, reads and writes together: outstanding I/Os, and latency per I/O. */
export function groupPanels(data: GroupData, { hidden, gaps }: GroupView): Panel[] {
  const missing = [...gaps, ...unexplained(data, gaps), ...fewVms(data)]
  const shown = (lines: readonly PanelLine[]) => lines.filter(({ key }) => !hidden.has(key))
  const [inside, latency] = [shown(insideLines(data)), shown(latencyLines(data))]
  const slowest = reach(latency)
  return [
    {
      id: 'inside',
      title: overviewCopy.outstandingIo,
      hint: overviewCopy.outstandingHint,
      unit: 'I/Os',
      weight: 'medium',
      lines: inside,
      gaps: missing,
      max: niceMax(reach(inside)),
      scale: latencyScale(0),
    },
    {
      id: 'latency',
      title: commonCopy.latency,
      hint: breakdownCopy.layerRangeHint,
      unit: 'µs',
      weight: 'medium',
      lines: latency,
      gaps: missing,
      max: niceMax(slowest),
      scale: latencyScale(slowest),
    },
  ]
}

/** Every layer that is anywhere above zero, outermost first, and the total. */
export const groupLegend = (data: GroupData): PanelLine[] => insideLines(data)

/** What is drawn, and of how many VMs it is. */
export function groupNumbers(data: GroupData, panels: readonly Panel[]): NumbersTable {
  const { times_ms, columns } = numbersOfPanels(data.times_ms, panels, breakdownCopy.fromDiagnosis)
  const vms = {
    title: groupsCopy.vmsThere,
    origin: breakdownCopy.fromDiagnosis,
    unit: 'count' as const,
    precision: null,
  }
  return { times_ms, columns: [...columns, { ...vms, values: data.members_there }] }
}

const insideLines = (data: GroupData) => linesOf(data, 'inside', 'I/Os', ({ ios }) => ios, data.total_ios)
const latencyLines = (data: GroupData) => linesOf(data, 'latency', 'µs', ({ us }) => us, data.total_us)

function linesOf(
  data: GroupData,
  panel: string,
  unit: PanelLine['unit'],
  valuesOf: (layer: GroupData['layers'][number]) => Values,
  total: Values,
): PanelLine[] {
  const stacked = (key: string, values: Values) =>
    ({ panel, row: `${panel}.${key}`, direction: 'all', unit, values }) as const
  const bands = [...data.layers]
    .sort((a, b) => pathOrder(a.layers) - pathOrder(b.layers))
    .filter(({ ios }) => ios.some((value) => value !== null && value > 0))
    .map((layer) => {
      const { name, label, layers } = layer
      return bandLine({ ...stacked(name, valuesOf(layer)), key: name, label }, layerLook(layers))
    })
  if (total.every((value) => value === null)) return bands
  return [...bands, totalLine(stacked('total', total))]
}

/** Buckets without some of the VMs: what is drawn there fades. */
function fewVms(data: GroupData): GapBand[] {
  const most = Math.max(0, ...data.members_there)
  const isVeiled = (index: number) => {
    const there = data.members_there[index] ?? 0
    return there > 0 && there < MOSTLY * most
  }
  return stretches(data, isVeiled, groupsCopy.fewerVms, 'few')
}
