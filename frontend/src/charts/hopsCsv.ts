/** The way of I/Os as raw numbers: what is passed with its load, and the time between with its bounds. Pure. */

import * as ioPathCopy from '../copy/ioPath'
import type { CsvCell } from '../lib/csv'
import { type HopLink, linkWords } from './hops'

interface CsvNode {
  id: string
  name: string
  detail: readonly string[]
  state: string | null
  load: {
    iops: number | null
    us: number | null
    precision_us: number | null
    ios: number | null
    depth: number | null
  }
}

interface Way {
  hops: readonly { label: string; nodes: readonly CsvNode[] }[]
  links: readonly HopLink[]
}

/** One row of each node, then one of each link, told apart by their first column; what was not measured is empty. */
export function hopsCsv({ hops, links }: Way): { header: string[]; rows: CsvCell[][] } {
  const names = new Map(hops.flatMap(({ nodes }) => nodes.map(({ id, name }) => [id, name])))
  return {
    header: [
      'row',
      ioPathCopy.csvHop,
      'name',
      'to',
      'detail',
      'state',
      'iops',
      'us',
      'precision_us',
      'lower_us',
      'upper_us',
      'ios_in_flight',
      'depth',
    ],
    rows: [
      ...hops.flatMap(({ label, nodes }) => nodes.map((node) => nodeRow(label, node))),
      ...links.map((link): CsvCell[] => [
        ioPathCopy.csvTimeBetween,
        link.label,
        names.get(link.from_id) ?? link.from_id,
        names.get(link.to_id) ?? link.to_id,
        mergedWords(link),
        null,
        null,
        link.us,
        null,
        link.lower_us,
        link.upper_us,
        null,
        null,
      ]),
    ],
  }
}

function mergedWords(link: HopLink): string | null {
  if (!link.is_merged) return null
  return link.us === null ? linkWords(link) : ioPathCopy.csvUpperBound
}

function nodeRow(label: string, { name, detail, state, load }: CsvNode): CsvCell[] {
  const { iops, us, precision_us, ios, depth } = load
  return ['hop', label, name, null, detail.join(' · '), state, iops, us, precision_us, null, null, ios, depth]
}
