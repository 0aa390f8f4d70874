/** The way of I/Os in numbers: every hop with its load, and the time between two of them with its bounds. */

import { useMemo } from 'react'
import type { Hops } from '../../api/types'
import {
  fullness,
  iopsWords,
  isUntold,
  latencyWords,
  linkBounds,
  linkWords,
  parentOf,
  queueWords,
  readingsOf,
} from '../../charts/hops'
import * as commonCopy from '../../copy/common'
import * as ioPathCopy from '../../copy/ioPath'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { formatIops, NOT_MEASURED } from '../../lib/units'

type Hop = Hops['hops'][number]

interface HopRow {
  hop: Pick<Hop, 'name' | 'label'>
  node: Hop['nodes'][number]
}

interface LinkRow {
  link: Hops['links'][number]
  ends: string
}

export function HopsTable({ hops }: { hops: Hops }) {
  const nodes = useMemo(() => hops.hops.flatMap((hop) => hop.nodes.map((node): HopRow => ({ hop, node }))), [hops])
  const links = useMemo(() => betweenHops(hops), [hops])
  const columns = useMemo(() => hopColumns(hops), [hops])
  return (
    <div className="stack gap-16">
      <VirtualTable
        label={ioPathCopy.perHop}
        columns={columns}
        count={nodes.length}
        rowAt={(index) => nodes[index]}
        wraps
        whole
      />
      <VirtualTable
        label={ioPathCopy.betweenHops}
        columns={LINK_COLUMNS}
        count={links.length}
        rowAt={(index) => links[index]}
        wraps
        whole
      />
    </div>
  )
}

const hopColumns = (hops: Hops): Column<HopRow>[] => [
  {
    id: 'name',
    header: commonCopy.name,
    width: 240,
    grow: true,
    // Where names stand alone they say what they belong to.
    compact: ({ hop, node }) => {
      const parent = parentOf(node.id, hop.name, hops)
      return <Name whole>{parent === null ? node.name : `${parent} · ${node.name}`}</Name>
    },
    cell: ({ node }) => <Name focusable>{[node.name, ...node.detail].join(' · ')}</Name>,
  },
  {
    id: 'hop',
    header: ioPathCopy.hop,
    width: 140,
    compact: ({ hop, node }) => <Name whole>{[hop.label, ...node.detail].join(' · ')}</Name>,
    cell: ({ hop }) => hop.label,
  },
  {
    id: 'iops',
    header: commonCopy.iops,
    width: 120,
    align: 'right',
    compact: ({ node }) => iopsWords(node.load),
    cell: ({ node: { load } }) => (
      <span className="numeric">{load.iops === null ? NOT_MEASURED : formatIops(load.iops)}</span>
    ),
  },
  {
    id: 'latency',
    header: commonCopy.latency,
    width: 320,
    align: 'right',
    compact: ({ hop, node }) => latencyWords(hop.name, node, hops),
    cell: ({ hop, node }) => (readingsOf(hop.name, node, hops).length > 0 ? latencyWords(hop.name, node, hops) : '–'),
  },
  {
    id: 'queue',
    header: ioPathCopy.activeLabel,
    width: 140,
    align: 'right',
    compact: ({ hop, node }) => queueWords(hop.name, node.load),
    cell: ({ node }) => <span className="numeric">{fullness(node.load)?.text ?? '–'}</span>,
  },
]

const LINK_COLUMNS: readonly Column<LinkRow>[] = [
  {
    id: 'between',
    header: ioPathCopy.between,
    width: 280,
    grow: true,
    compact: ({ ends }) => <Name whole>{ends}</Name>,
    cell: ({ ends }) => <Name focusable>{ends}</Name>,
  },
  { id: 'segment', header: ioPathCopy.segment, width: 180, compact: 'bare', cell: ({ link }) => link.label },
  {
    id: 'latency',
    header: commonCopy.latency,
    width: 320,
    align: 'right',
    compact: 'bare',
    cell: ({ link }) => <span className={isUntold(link) ? 'muted' : 'numeric'}>{linkWords(link)}</span>,
  },
  {
    id: 'range',
    header: commonCopy.rangeHeader,
    width: 150,
    align: 'right',
    compact: ({ link }) => {
      const bounds = linkBounds(link)
      return isUntold(link) || bounds === null ? null : commonCopy.inRange(bounds)
    },
    cell: ({ link }) => <span className="numeric">{(!isUntold(link) && linkBounds(link)) || '–'}</span>,
  },
]

function betweenHops({ hops, links }: Hops): LinkRow[] {
  const names = new Map(hops.flatMap(({ nodes }) => nodes.map(({ id, name }) => [id, name])))
  return links.map((link) => ({
    link,
    ends: `${names.get(link.from_id) ?? '?'} → ${names.get(link.to_id) ?? '?'}`,
  }))
}
