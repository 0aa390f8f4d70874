/** The parts of an object with their numbers at the cursor; choosing one shows it in the chart. */

import { Button } from '@mantine/core'
import { useMemo } from 'react'
import type { Series } from '../../api/types'
import type { SeriesGroup } from '../../charts/series'
import * as commonCopy from '../../copy/common'
import * as countersCopy from '../../copy/counters'
import { Card } from '../../kit/layout/Card'
import type { Column } from '../../kit/table/Column'
import { Stacked } from '../../kit/table/Stacked'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { Quantity } from '../../kit/text/Quantity'
import { usePreferences } from '../../lib/preferences'
import { formatClock } from '../../lib/time'
import { measuredColumns, newestBucket, partKey, partTables } from './parts'

interface PartsCardProps {
  series: Series
  cursor: number | null
  chosen: string
  onChoose: (part: string) => void
}

const KIND_TITLE: Record<string, string> = {
  device: countersCopy.perDevice,
  vm_disk: countersCopy.perDisk,
  volume: countersCopy.perVolume,
  directory: countersCopy.perDirectory,
}

export function PartsCard({ series, cursor, chosen, onChoose }: PartsCardProps) {
  return partTables(series.groups).map((table) => (
    <PartsTable
      key={table.kind}
      title={KIND_TITLE[table.kind] ?? table.kind}
      groups={table.groups}
      times_ms={series.times_ms}
      cursor={cursor}
      chosen={chosen}
      onChoose={onChoose}
    />
  ))
}

interface PartsTableProps extends Omit<PartsCardProps, 'series'> {
  title: string
  groups: readonly SeriesGroup[]
  times_ms: readonly number[]
}

function PartsTable({ title, groups, times_ms, cursor, chosen, onChoose }: PartsTableProps) {
  const { zone } = usePreferences()
  const bucket = cursor ?? newestBucket(groups)
  const columns = useMemo(() => columnsOf(groups, bucket, chosen, onChoose), [groups, bucket, chosen, onChoose])
  const at_ms = bucket === null ? undefined : times_ms[bucket]
  const when =
    at_ms === undefined
      ? countersCopy.nothingMeasured
      : countersCopy.atTime(
          formatClock(at_ms, zone, true),
          cursor === null ? countersCopy.lastSuffix : countersCopy.cursorSuffix,
        )
  return (
    <Card title={title} hint={<span className="numeric">{when}</span>} flush>
      <VirtualTable label={title} columns={columns} count={groups.length} rowAt={(index) => groups[index]} />
    </Card>
  )
}

function columnsOf(
  groups: readonly SeriesGroup[],
  bucket: number | null,
  chosen: string,
  onChoose: (part: string) => void,
): Column<SeriesGroup>[] {
  const name: Column<SeriesGroup> = {
    id: 'name',
    header: commonCopy.name,
    width: 260,
    grow: true,
    minWidth: 150,
    compact: (group) => <WholeName of={group} />,
    cell: (group) => <Name focusable>{group.entity.name}</Name>,
  }
  const choose: Column<SeriesGroup> = {
    id: 'choose',
    header: countersCopy.chart,
    width: 92,
    minWidth: 84,
    priority: 1,
    cell: (group) => {
      const isChosen = partKey(group) === chosen
      return (
        <Button
          size="compact-xs"
          variant={isChosen ? 'filled' : 'default'}
          aria-pressed={isChosen}
          onClick={() => onChoose(isChosen ? '' : partKey(group))}
        >
          {isChosen ? countersCopy.shown : countersCopy.show}
        </Button>
      )
    },
  }
  const numbers = measuredColumns(groups).map(
    (column): Column<SeriesGroup> => ({
      id: column.name,
      header: column.label,
      width: Math.max(112, 28 + column.label.length * 8),
      align: 'right',
      cell: (group) => {
        const own = group.columns.find((one) => one.name === column.name)
        const value = bucket === null ? null : (own?.values[bucket] ?? null)
        return (
          <Quantity
            value={value}
            unit={column.unit}
            bare={column.unit === 'ops/s'}
            precision={own?.precision ?? null}
            origin={own?.counter}
          />
        )
      },
    }),
  )
  return [name, choose, ...numbers]
}

/** Of a host and its device only both names tell a row from the next: each is cut in its own line. */
function WholeName({ of: { entity, owner, own_name } }: { of: SeriesGroup }) {
  if (entity.kind !== 'device' || owner === null) return <Name whole>{entity.name}</Name>
  return (
    <Stacked
      of={<Name focusable>{owner.name}</Name>}
      lines={[
        <Name key="device" focusable>
          {own_name}
        </Name>,
      ]}
    />
  )
}
