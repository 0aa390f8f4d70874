/** Devices as hosts see them: what they did in the newest minute, their depth, path policy, working paths. */

import { useMemo } from 'react'
import type { DeviceOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as countersCopy from '../../copy/counters'
import * as objectsCopy from '../../copy/objects'
import { StateMark } from '../../kit/mark/StateMark'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { NO_IO, Quantity } from '../../kit/text/Quantity'
import { formatCount } from '../../lib/units'
import { ios } from '../breakdown/ios'
import { policyWords } from '../io-path/pathPolicy'
import { EntityLink } from '../object/EntityLink'
import { MatchedVolumes } from '../object/MatchMark'

const HOST: Column<DeviceOut> = {
  id: 'host',
  header: commonCopy.host,
  width: 150,
  minWidth: 120,
  grow: true,
  cell: (device) => <EntityLink to={device.host} />,
}

const DEVICE: Column<DeviceOut> = {
  id: 'device',
  header: objectsCopy.device,
  width: 220,
  minWidth: 150,
  grow: true,
  cell: (device) => <Name focusable>{device.canonical_name}</Name>,
}

/** Next to the first column: what may be a warning is in sight on phones, too. */
const PATHS: Column<DeviceOut> = {
  id: 'paths',
  header: objectsCopy.paths,
  width: 136,
  minWidth: 122,
  priority: 1,
  cell: (device) => <Paths working={device.paths_working} total={device.paths_total} />,
}

/** And so is why a device is tied to no volume. */
const VOLUME: Column<DeviceOut> = {
  id: 'volume',
  header: objectsCopy.arrayVolume,
  width: 150,
  minWidth: 110,
  grow: true,
  compact: 'bare',
  cell: (device) => <Volume device={device} />,
}

const REST: Column<DeviceOut>[] = [
  {
    id: 'iops',
    isCurrent: true,
    header: commonCopy.iops,
    width: 84,
    align: 'right',
    cell: ({ newest }) => <Quantity value={newest.iops} unit="ops/s" bare />,
  },
  {
    id: 'gavg',
    isCurrent: true,
    header: countersCopy.gavg,
    width: 108,
    align: 'right',
    cell: ({ newest }) => (
      <Quantity
        value={newest.gavg_us}
        unit="µs"
        precision={newest.precision_us}
        isCompared
        origin={objectsCopy.gavgOrigin}
        absent={newest.iops === 0 ? NO_IO : undefined}
      />
    ),
  },
  {
    id: 'in-flight',
    isCurrent: true,
    header: objectsCopy.active,
    width: 104,
    align: 'right',
    cell: ({ newest }) =>
      newest.in_flight_ios === null ? (
        <Quantity value={null} unit="I/Os" origin={objectsCopy.activeMissing} />
      ) : (
        <span className="numeric" title={objectsCopy.activeHint}>
          {ios(newest.in_flight_ios)}
        </span>
      ),
  },
  {
    id: 'depth',
    isCurrent: true,
    header: objectsCopy.effectiveDepth,
    width: 120,
    align: 'right',
    cell: ({ newest }) => (
      <Depth ios={newest.depth_in_force} origin={objectsCopy.effectiveDepthHint} absent={objectsCopy.notReported} />
    ),
  },
  {
    id: 'depth-set',
    header: objectsCopy.configuredDepth,
    width: 94,
    align: 'right',
    cell: ({ queue_depth }) => <Depth ios={queue_depth} origin={objectsCopy.configuredDepthHint} />,
  },
  {
    id: 'dsnro',
    header: objectsCopy.dsnro,
    width: 80,
    align: 'right',
    priority: 4,
    cell: ({ dsnro }) => <Depth ios={dsnro} origin={objectsCopy.dsnroHint} />,
  },
]

const POLICY: Column<DeviceOut> = {
  id: 'policy',
  header: objectsCopy.pathPolicy,
  width: 170,
  priority: 4,
  cell: (device) =>
    device.path_policy === null ? (
      <span className="faint">{objectsCopy.notCollected}</span>
    ) : (
      <span title={device.path_policy.text}>{policyWords(device.path_policy)}</span>
    ),
}

const Volume = ({ device }: { device: DeviceOut }) => (
  <MatchedVolumes match={device.match} volumes={device.volume === null ? [] : [device.volume]} />
)

function Depth({
  ios,
  origin,
  absent = objectsCopy.notCollected,
}: {
  ios: number | null
  origin: string
  absent?: string
}) {
  if (ios === null) return <Quantity value={null} unit="I/Os" origin={origin} absent={absent} />
  return (
    <span className="numeric" title={origin}>
      {formatCount(ios)}
    </span>
  )
}

function Paths({ working, total }: { working: number; total: number }) {
  if (total === 0) return <span className="faint">{objectsCopy.noPaths}</span>
  return (
    <StateMark
      tone={working === total ? 'good' : working === 0 ? 'bad' : 'warn'}
      word={objectsCopy.activePaths(working, total)}
    />
  )
}

/** Of all devices together: what is dead is said where the page begins. */
export function PathsMark({ devices }: { devices: readonly Pick<DeviceOut, 'paths_working' | 'paths_total'>[] }) {
  const sum = (name: 'paths_working' | 'paths_total') => devices.reduce((all, device) => all + device[name], 0)
  return <Paths working={sum('paths_working')} total={sum('paths_total')} />
}

interface DevicesTableProps {
  devices: readonly DeviceOut[]
  withHost?: boolean
  /** With the counters of the last minute. */
  isLive: boolean
}

export function DevicesTable({ devices, withHost = true, isLive }: DevicesTableProps) {
  const columns = useMemo(() => deviceColumns(withHost, isLive), [withHost, isLive])
  return (
    <VirtualTable
      label={objectsCopy.devices}
      columns={columns}
      count={devices.length}
      rowAt={(index) => devices[index]}
    />
  )
}

export function deviceColumns(withHost: boolean, isLive = true): Column<DeviceOut>[] {
  const columns = withHost
    ? [HOST, PATHS, VOLUME, { ...DEVICE, priority: 3 as const }, ...REST, { ...POLICY, priority: 5 as const }]
    : [DEVICE, PATHS, VOLUME, ...REST, POLICY]
  return isLive ? columns : columns.filter(({ isCurrent }) => !isCurrent)
}
