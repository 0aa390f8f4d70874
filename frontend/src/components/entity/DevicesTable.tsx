/** Devices as hosts see them: depth, path policy, working paths. */

import { useMemo } from 'react'
import type { DeviceOut } from '../../api/types'
import { formatCount } from '../../lib/units'
import { EntityLink } from '../EntityLink'
import { MatchedVolumes } from '../MatchMark'
import { Name } from '../Name'
import { StateMark } from '../StateMark'
import { type Column, VirtualTable } from '../table/VirtualTable'
import { policyWords } from './pathPolicy'

const HOST: Column<DeviceOut> = {
  id: 'host',
  header: 'Host',
  width: 170,
  narrow: 120,
  grow: true,
  cell: (device) => <EntityLink to={device.host} />,
}

const DEVICE: Column<DeviceOut> = {
  id: 'device',
  header: 'Device',
  width: 270,
  narrow: 120,
  cell: (device) => <Name focusable>{device.canonical_name}</Name>,
}

/** Next to the first column: what may be a warning is in sight on phones, too. */
const PATHS: Column<DeviceOut> = {
  id: 'paths',
  header: 'Paths',
  width: 136,
  narrow: 122,
  cell: (device) => <Paths working={device.paths_working} total={device.paths_total} />,
}

/** And so is why a device is tied to no volume. */
const VOLUME: Column<DeviceOut> = {
  id: 'volume',
  header: 'Array volume',
  width: 200,
  narrow: 118,
  grow: true,
  cell: (device) => <MatchedVolumes match={device.match} volumes={device.volume === null ? [] : [device.volume]} />,
}

const REST: Column<DeviceOut>[] = [
  { id: 'depth', header: 'Queue depth', width: 116, align: 'right', cell: (device) => depth(device.queue_depth) },
  { id: 'dsnro', header: 'DSNRO', width: 90, align: 'right', cell: (device) => depth(device.dsnro) },
  {
    id: 'policy',
    header: 'Path policy',
    width: 170,
    from: 1200,
    cell: (device) =>
      device.path_policy === null ? (
        <span className="faint">not read</span>
      ) : (
        <span title={device.path_policy}>{policyWords(device.path_policy)}</span>
      ),
  },
]

const depth = (ios: number | null) =>
  ios === null ? <span className="faint">not read</span> : <span className="numeric">{formatCount(ios)}</span>

function Paths({ working, total }: { working: number; total: number }) {
  if (total === 0) return <span className="faint">none known</span>
  return (
    <StateMark
      tone={working === total ? 'good' : working === 0 ? 'bad' : 'warn'}
      word={`${working} of ${total} work`}
    />
  )
}

export function DevicesTable({ devices, withHost = true }: { devices: readonly DeviceOut[]; withHost?: boolean }) {
  const columns = useMemo(
    () => (withHost ? [HOST, PATHS, VOLUME, DEVICE, ...REST] : [DEVICE, PATHS, VOLUME, ...REST]),
    [withHost],
  )
  return <VirtualTable label="Devices" columns={columns} count={devices.length} rowAt={(index) => devices[index]} />
}
