/** The way of I/Os as a picture: hops are columns in the order of the path, their nodes boxes, the time between them links. Pure. */

import * as commonCopy from '../copy/common'
import * as ioPathCopy from '../copy/ioPath'
import { formatCounter, formatIops, formatLatency, formatLatencyIn, formatRate, NOT_MEASURED } from '../lib/units'
import { type LayerId, layerLook, partLook } from './segments'
import type { LineColor } from './tokens'

interface HopNode {
  id: string
  name: string
  state: 'working' | 'degraded' | 'dead' | null
  load: {
    iops: number | null
    us: number | null
    precision_us: number | null
    ios: number | null
    depth: number | null
  }
}

export interface HopLink {
  from_id: string
  to_id: string
  name: string
  label: string
  layers: readonly LayerId[]
  us: number | null
  lower_us: number | null
  upper_us: number | null
  is_merged: boolean
}

interface Way {
  hops: readonly Hop<HopNode>[]
  links: readonly HopLink[]
}

interface Hop<Node> {
  name: string
  label: string
  total: number
  nodes: readonly Node[]
}

/** `x`: center in per cent of the width; `y`: center in px from the top. */
export interface PlacedNode<Node> {
  node: Node
  x: number
  y: number
}

export interface PlacedLink {
  link: HopLink
  key: string
  /** In the picture's own units: x in per cent, y in px. */
  path: string
  /** Where the link's time is written. */
  x: number
  y: number
  width: number
  color: LineColor
  hatched: boolean
  /** Its time is within that of another link. */
  isUntold: boolean
  /** Nobody timed it, or nothing goes here. */
  isFaint: boolean
  /** Most of the time of the layer that the diagnosis names is here. */
  isNamed: boolean
  text: string
}

export interface HopPicture<Node> {
  height: number
  columns: { hop: Hop<Node>; x: number; nodes: PlacedNode<Node>[] }[]
  links: PlacedLink[]
}

/** Width of a box in per cent of the picture's. */
export const BOX_WIDTH = 12
export const BOX_HEIGHT = 114
const HEAD = 34
const PITCH = BOX_HEIGHT + 14

/** Hops that this way does not have get no column; `named` are the layers that the diagnosis names. */
export function hopPicture<Node extends HopNode>(
  { hops, links }: { hops: readonly Hop<Node>[]; links: readonly HopLink[] },
  named: readonly LayerId[],
): HopPicture<Node> {
  const shown = hops.filter(({ nodes }) => nodes.length > 0)
  const rows = Math.max(0, ...shown.map(({ nodes }) => nodes.length))
  const places = new Map<string, PlacedNode<Node>>()
  const columns = shown.map((hop, at) => {
    const x = shown.length < 2 ? 50 : BOX_WIDTH / 2 + (at * (100 - BOX_WIDTH)) / (shown.length - 1)
    const room = (rows * PITCH) / hop.nodes.length
    const nodes = uncrossed(hop.nodes, links, places).map((node, row) => ({ node, x, y: HEAD + (row + 0.5) * room }))
    for (const placed of nodes) places.set(placed.node.id, placed)
    return { hop, x, nodes }
  })
  const most = Math.max(0, ...[...places.values()].map(({ node }) => node.load.iops ?? 0))
  const worst = Math.max(0, ...links.filter((link) => isOf(link, named)).map(({ us }) => us ?? 0))
  return {
    height: HEAD + rows * PITCH,
    columns,
    links: links.flatMap((link) => {
      const [from, to] = [places.get(link.from_id), places.get(link.to_id)]
      if (from === undefined || to === undefined) return []
      const isNamed = isOf(link, named) && link.us !== null && link.us > 0 && link.us >= worst / 2
      return [{ ...placedLink(link, from, to, most), isNamed }]
    }),
  }
}

/** In the order of what leads to them, so that lines cross as little as they can; what nothing leads to comes last. */
function uncrossed<Node extends HopNode>(
  nodes: readonly Node[],
  links: readonly HopLink[],
  places: ReadonlyMap<string, PlacedNode<Node>>,
): Node[] {
  const height = (id: string) => {
    const before = links.filter(({ to_id }) => to_id === id).flatMap(({ from_id }) => places.get(from_id)?.y ?? [])
    return before.length === 0 ? Number.MAX_VALUE : before.reduce((sum, y) => sum + y, 0) / before.length
  }
  return [...nodes].sort((a, b) => height(a.id) - height(b.id))
}

const isOf = ({ layers }: HopLink, named: readonly LayerId[]) => layers.some((layer) => named.includes(layer))

function placedLink(
  link: HopLink,
  from: PlacedNode<HopNode>,
  to: PlacedNode<HopNode>,
  most: number,
): Omit<PlacedLink, 'isNamed'> {
  const [start, end] = [from.x + BOX_WIDTH / 2, to.x - BOX_WIDTH / 2]
  const middle = (start + end) / 2
  const isFaint = from.node.state === 'dead' || to.node.state === 'dead' || (link.us === null && !link.is_merged)
  const share = most > 0 ? Math.min(from.node.load.iops ?? 0, to.node.load.iops ?? from.node.load.iops ?? 0) / most : 0
  return {
    link,
    key: `${link.from_id} ${link.to_id}`,
    path: `M${start},${from.y} C${middle},${from.y} ${middle},${to.y} ${end},${to.y}`,
    x: middle,
    y: (from.y + to.y) / 2,
    width: 1.5 + 8 * share,
    ...(isFaint ? { color: { ink: 'gap' as const }, hatched: false } : linkLook(link)),
    isUntold: isUntold(link),
    isFaint,
    text: linkTime(link),
  }
}

function linkLook(link: HopLink) {
  if (isUntold(link)) return { ...layerLook(link.layers), hatched: true }
  if (link.layers.length !== 1) return layerLook(link.layers)
  const [layer] = link.layers as readonly [LayerId]
  return link.name === layer
    ? layerLook(link.layers)
    : partLook({ name: link.name, layers: link.layers, is_rest: false })
}

/** What is known of a link's time, as short as a picture needs it; next to nothing that only means "less than a counter's step" is told by its bound. */
export function linkTime(link: HopLink): string {
  const { us, upper_us, is_merged } = link
  if (us === null) return isUntold(link) ? ioPathCopy.notSeparable : '–'
  if (us < 1 && upper_us !== null && upper_us >= 1) return `≤ ${formatLatency(upper_us)}`
  return `${is_merged ? '≤ ' : ''}${formatLatency(us)}`
}

/** It was timed, together with what the link from the host queue tells: the same time is not said twice. */
export const isUntold = ({ us, is_merged }: HopLink) => us === null && is_merged

/** The same where there is room for words. */
export function linkWords(link: HopLink): string {
  if (isUntold(link)) return ioPathCopy.notSeparableFromKernel
  return link.us === null ? NOT_MEASURED : linkTime(link)
}

/** "0 µs and 0.52 ms": what a link's time is certainly between; null where nobody knows. */
export function linkBounds({ us, lower_us, upper_us }: HopLink): string | null {
  if (us === null || lower_us === null || upper_us === null) return null
  return commonCopy.range(formatLatency(lower_us), formatLatency(upper_us))
}

function someOf(ios: number): string {
  if (ios > 0 && ios < 0.1) return '<0.1'
  return ios > 0 && ios < 10 ? ios.toFixed(1) : formatRate(ios)
}

/** "6.2 of 32": how full a queue is; null where its depth is not known. */
export function fullness({ ios, depth }: HopNode['load']): { text: string; label: string; share: number } | null {
  if (ios === null || depth === null || depth <= 0) return null
  return {
    text: ioPathCopy.activeOfDepth(someOf(ios), formatRate(depth)),
    label: ioPathCopy.activeOf(someOf(ios), formatRate(depth)),
    share: Math.min(1, ios / depth),
  }
}

/** What a latency covers: from this hop to the end, all that hosts see, the array's own part, or an estimate from 1 ms counters. */
export type ReadingScope = keyof typeof ioPathCopy.readings
export const readingLabel = (scope: ReadingScope) => ioPathCopy.readings[scope]

/** A latency and whose it is: each side times another stretch of the same I/O. */
export interface Reading {
  us: number
  precision_us: number | null
  by: ReadingScope
}

/** "≈ 0.5 ms" of what is fitted to whole milliseconds; "0–1 ms" where such a counter tells it itself. */
export function readingText({ us, precision_us, by }: Reading): string {
  if (by !== 'estimated') return formatCounter(us, precision_us)
  return `≈ ${formatLatencyIn(us, { unit: 'ms', decimals: 1 })}`
}

/** The part of a thing's time that is the array's own, by the link that leads from it to the array. */
const arrayPart = (id: string, links: readonly HopLink[]): number | null =>
  links.find(({ from_id, name }) => from_id === id && name === 'array')?.us ?? null

/**
 * The latencies of a node. Volumes and arrays have the time of everything that was measured of their I/Os, which is what hosts see of
 * them; of a volume the array's own part is known besides. Where that is all there is, no host measured anything.
 */
export function readingsOf(hop: string, { id, load }: Pick<HopNode, 'id' | 'load'>, { hops, links }: Way): Reading[] {
  const { us, precision_us } = load
  if (us === null) return []
  if (hop === 'queue' && precision_us !== null) return [{ us, precision_us, by: 'estimated' }]
  const isHostsView = hop === 'volume' || hop === 'array'
  const whole = { us, precision_us, by: isHostsView ? ('hosts' as const) : ('endToEnd' as const) }
  if (hop === 'volume') {
    const own_us = arrayPart(id, links)
    const own = own_us === null ? [] : [{ us: own_us, precision_us: null, by: 'array' as const }]
    return isAll(us, own_us) ? own : [...own, whole]
  }
  const volumes = hops.flatMap(({ name, nodes }) => (name === 'volume' ? nodes : []))
  const isArrayAlone =
    hop === 'array' && volumes.length > 0 && volumes.every((one) => isAll(one.load.us, arrayPart(one.id, links)))
  return [isArrayAlone ? { ...whole, by: 'array' } : whole]
}

/** Below a tenth of a µs nobody counts. */
const isAll = (us: number | null, part_us: number | null) => us !== null && part_us !== null && us - part_us < 0.1

/** "5,800 IOPS", or that they were not measured. */
export const iopsWords = ({ iops }: HopNode['load']): string =>
  iops === null ? ioPathCopy.iopsMissing(NOT_MEASURED) : formatIops(iops)

/** "1.79 ms from this hop on, 0.40 ms in the array"; null where nothing has a latency, as there was no I/O. */
export function latencyWords(hop: string, node: Pick<HopNode, 'id' | 'load'>, way: Way): string | null {
  const readings = readingsOf(hop, node, way).map((reading) => `${readingText(reading)} ${readingLabel(reading.by)}`)
  if (readings.length > 0) return readings.join(', ')
  return node.load.iops === 0 ? null : ioPathCopy.latencyMissing(NOT_MEASURED)
}

/** "ACTV 9.8 / DQLEN 32"; null where a hop has no queue. */
export const queueWords = (hop: string, load: HopNode['load']): string | null =>
  fullness(load)?.label ?? (hop === 'queue' ? ioPathCopy.activeMissing(NOT_MEASURED) : null)

/** Hops whose names say little without what they belong to: "Hard disk 2" is one of every VM. */
const NAMED_BY_PARENT = ['vm_disk', 'path']

/** The name of the one thing that leads to a node, where its own says too little. */
export function parentOf(id: string, hop: string, { hops, links }: Way): string | null {
  const parents = new Set(links.filter(({ to_id }) => to_id === id).map(({ from_id }) => from_id))
  const [only] = parents
  if (!NAMED_BY_PARENT.includes(hop) || parents.size !== 1) return null
  return hops.flatMap(({ nodes }) => nodes).find((node) => node.id === only)?.name ?? null
}
