/** Devices as hosts see them: what they did in the newest minute, their depth, path policy, working paths. */

import { type ReactNode, useMemo } from 'react'
import type { DeviceOut } from '../../api/types'
import { formatCount, formatCounter, formatRate } from '../../lib/units'
import { EntityLink } from '../EntityLink'
import { MatchedVolumes } from '../MatchMark'
import { Name } from '../Name'
import { NO_IO, Quantity } from '../Quantity'
import { StateMark } from '../StateMark'
import { Stacked, TOLD_PX } from '../table/Told'
import { type Column, VirtualTable } from '../table/VirtualTable'
import { ios } from '../verdict/OccupancyCard'
import { policyWords } from './pathPolicy'

const HOST: Column<DeviceOut> = {
  id: 'host',
  header: 'Host',
  width: 150,
  grow: true,
  from: 700,
  cell: (device) => <EntityLink to={device.host} />,
}

const DEVICE: Column<DeviceOut> = {
  id: 'device',
  header: 'Device',
  width: 220,
  grow: true,
  from: 700,
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
  width: 150,
  grow: true,
  from: 700,
  cell: (device) => <Volume device={device} />,
}

const REST: Column<DeviceOut>[] = [
  {
    id: 'iops',
    header: 'IOPS',
    width: 84,
    align: 'right',
    from: 700,
    cell: ({ newest }) => <Quantity value={newest.iops} unit="ops/s" bare />,
  },
  {
    id: 'gavg',
    header: 'GAVG',
    width: 108,
    align: 'right',
    from: 700,
    cell: ({ newest }) => (
      <Quantity
        value={newest.gavg_us}
        unit="µs"
        precision={newest.precision_us}
        isCompared
        origin="GAVG of this device, mean of the newest minute"
        absent={newest.iops === 0 ? NO_IO : undefined}
      />
    ),
  },
  {
    id: 'in-flight',
    header: 'In flight',
    width: 104,
    align: 'right',
    from: 700,
    cell: ({ newest }) =>
      newest.in_flight_ios === null ? (
        <Quantity value={null} unit="I/Os" origin="DAVG was not measured, or only in whole ms" />
      ) : (
        <span className="numeric" title="I/Os at the device on average: operations per second × DAVG">
          {ios(newest.in_flight_ios)}
        </span>
      ),
  },
  {
    id: 'depth',
    header: 'Depth in force',
    width: 120,
    align: 'right',
    from: 700,
    cell: ({ newest }) => (
      <Depth ios={newest.depth_in_force} origin="DQLEN that the host reported in the newest minute" absent="not told" />
    ),
  },
  {
    id: 'depth-set',
    header: 'Depth set',
    width: 94,
    align: 'right',
    from: 700,
    cell: ({ queue_depth }) => <Depth ios={queue_depth} origin="what the device takes from one VM alone" />,
  },
  {
    id: 'dsnro',
    header: 'DSNRO',
    width: 80,
    align: 'right',
    from: 1600,
    cell: ({ dsnro }) => <Depth ios={dsnro} origin="what it takes once several VMs do I/O on it" />,
  },
]

const POLICY: Column<DeviceOut> = {
  id: 'policy',
  header: 'Path policy',
  width: 170,
  from: 1600,
  cell: (device) =>
    device.path_policy === null ? (
      <span className="faint">not read</span>
    ) : (
      <span title={device.path_policy}>{policyWords(device.path_policy)}</span>
    ),
}

/** On phones, all of it under one name. */
const told = (header: string, of: (device: DeviceOut) => ReactNode): Column<DeviceOut> => ({
  id: 'told',
  header: `${header}, its load and depth`,
  width: 236,
  grow: true,
  narrowOnly: true,
  cell: (device) => (
    <Stacked of={of(device)} lines={[<Volume key="volume" device={device} />, loadWords(device), depthWords(device)]} />
  ),
})

const OF_HOST = told('Host', (device) => <EntityLink to={device.host} />)
const OF_DEVICE = told('Device', (device) => <Name focusable>{device.canonical_name}</Name>)

/** "812 IOPS · GAVG 0.34 ms", "no I/O". */
export function loadWords({ newest }: Pick<DeviceOut, 'newest'>): string {
  if (newest.iops === 0) return NO_IO
  if (newest.iops === null) return 'load not measured'
  const gavg = newest.gavg_us === null ? 'not measured' : formatCounter(newest.gavg_us, newest.precision_us)
  return `${formatRate(newest.iops)} IOPS · GAVG ${gavg}`
}

/** "2.1 in flight · depth 32 in force, 128 set": what is set says little of what is let out. */
export function depthWords({ newest, queue_depth }: Pick<DeviceOut, 'newest' | 'queue_depth'>): string {
  const flight = newest.in_flight_ios === null ? [] : [`${ios(newest.in_flight_ios)} in flight`]
  const depths = [
    newest.depth_in_force === null ? null : `${formatCount(newest.depth_in_force)} in force`,
    queue_depth === null ? null : `${formatCount(queue_depth)} set`,
  ].filter((words) => words !== null)
  return [...flight, depths.length === 0 ? 'depth not read' : `depth ${depths.join(', ')}`].join(' · ')
}

const Volume = ({ device }: { device: DeviceOut }) => (
  <MatchedVolumes match={device.match} volumes={device.volume === null ? [] : [device.volume]} />
)

function Depth({ ios, origin, absent = 'not read' }: { ios: number | null; origin: string; absent?: string }) {
  if (ios === null) return <Quantity value={null} unit="I/Os" origin={origin} absent={absent} />
  return (
    <span className="numeric" title={origin}>
      {formatCount(ios)}
    </span>
  )
}

function Paths({ working, total }: { working: number; total: number }) {
  if (total === 0) return <span className="faint">none known</span>
  return (
    <StateMark
      tone={working === total ? 'good' : working === 0 ? 'bad' : 'warn'}
      word={`${working} of ${total} work`}
    />
  )
}

/** Of all devices together: what is dead is said where the page begins. */
export function PathsMark({ devices }: { devices: readonly Pick<DeviceOut, 'paths_working' | 'paths_total'>[] }) {
  const sum = (name: 'paths_working' | 'paths_total') => devices.reduce((all, device) => all + device[name], 0)
  return <Paths working={sum('paths_working')} total={sum('paths_total')} />
}

export function DevicesTable({ devices, withHost = true }: { devices: readonly DeviceOut[]; withHost?: boolean }) {
  const columns = useMemo(() => deviceColumns(withHost), [withHost])
  return (
    <VirtualTable
      label="Devices"
      columns={columns}
      count={devices.length}
      rowAt={(index) => devices[index]}
      narrowRowPx={TOLD_PX}
      wraps="on phones"
    />
  )
}

export const deviceColumns = (withHost: boolean): Column<DeviceOut>[] =>
  withHost
    ? [OF_HOST, HOST, PATHS, VOLUME, { ...DEVICE, from: 1200 }, ...REST, { ...POLICY, from: 1900 }]
    : [OF_DEVICE, DEVICE, PATHS, VOLUME, ...REST, POLICY]
