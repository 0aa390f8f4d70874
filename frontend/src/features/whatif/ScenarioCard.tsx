/** Sliders and fields of a scenario: each says what is in force, and an empty field is as it is. */

import { Button } from '@mantine/core'
import { useId } from 'react'
import type { WhatIf } from '../../api/types'
import * as whatIfCopy from '../../copy/whatif'
import type { NumberName } from '../../domain/whatif/address'
import { Card } from '../../kit/layout/Card'
import { columnWidths } from '../../kit/layout/columns'
import { formatCount, formatUpTo } from '../../lib/units'
import { useScenario } from './scenario'
import styles from './WhatIf.module.css'

interface Field {
  name: NumberName
  label: string
  /** Of the slider; the field takes more. */
  most: number
  least: number
  unit?: string
  /** What is in force; undefined: nothing to compare with. */
  now: (found: WhatIf) => number | null | undefined
  /** Whether nothing in force is no limit. */
  isRead?: (found: WhatIf) => boolean
}

const FIELDS: readonly Field[] = [
  { name: 'threads', label: whatIfCopy.threads, least: 1, most: 512, now: ({ now }) => now.threads },
  {
    name: 'virtual_disk_queue',
    label: whatIfCopy.diskQueue,
    least: 1,
    most: 256,
    now: ({ now }) => now.virtual_disk_queue,
  },
  {
    name: 'device_depth',
    label: whatIfCopy.depth,
    least: 1,
    most: 256,
    now: ({ start, now }) => (start === null ? now.device_depth : start.configured_depth),
  },
  {
    name: 'dsnro',
    label: whatIfCopy.dsnro,
    least: 1,
    most: 256,
    now: ({ start }) => (start === null ? undefined : start.dsnro),
  },
  { name: 'disks', label: whatIfCopy.disks, least: 1, most: 16, now: ({ now }) => now.disks },
  { name: 'datastores', label: whatIfCopy.stores, least: 1, most: 16, now: () => 1 },
  { name: 'hosts', label: whatIfCopy.hosts, least: 1, most: 16, now: () => 1 },
  {
    name: 'iops_limit',
    label: whatIfCopy.limit,
    least: 16,
    most: 50_000,
    now: ({ now }) => now.iops_limit,
    isRead: ({ now }) => now.is_limit_read,
  },
  { name: 'demand_iops', label: whatIfCopy.demand, least: 1, most: 200_000, now: ({ now }) => now.demand_iops },
  {
    name: 'non_optimized_percent',
    label: whatIfCopy.farPercent,
    least: 0,
    most: 100,
    unit: whatIfCopy.percent,
    now: ({ now }) => now.non_optimized_percent,
  },
  {
    name: 'non_optimized_extra_us',
    label: whatIfCopy.farExtra,
    least: 0,
    most: 10_000,
    unit: whatIfCopy.micros,
    now: ({ start }) => (start === null ? undefined : start.non_optimized_extra_us),
  },
]

export function ScenarioCard({ found }: { found: WhatIf | undefined }) {
  const { numbers, isLifted, set, lift, reset } = useScenario()
  return (
    <Card
      title={whatIfCopy.scenario}
      actions={
        <Button variant="default" size="xs" onClick={reset}>
          {whatIfCopy.reset}
        </Button>
      }
    >
      <div className="stack gap-10">
        {FIELDS.filter(({ name }) => name !== 'dsnro' || found?.start?.is_nvme !== true).map((field) => (
          <NumberField
            key={field.name}
            field={field}
            value={numbers[field.name]}
            now={found === undefined ? undefined : field.now(found)}
            isRead={found === undefined || (field.isRead?.(found) ?? UNLIMITED.has(field.name))}
            onChange={(value) => set(field.name, value)}
          />
        ))}
        <label className="inline-row tap size-label gap-8">
          <input type="checkbox" checked={isLifted} onChange={(event) => lift(event.currentTarget.checked)} />
          {whatIfCopy.lift}
        </label>
      </div>
    </Card>
  )
}

/** Fields where nothing in force means no limit; elsewhere it was not read. */
const UNLIMITED: ReadonlySet<NumberName> = new Set(['iops_limit', 'demand_iops'])

/** What cannot be written into the address is as empty. */
const given = (text: string) => (/^\d{1,12}(\.\d+)?$/.test(text) ? Number(text) : undefined)

interface NumberFieldProps {
  field: Field
  value: number | undefined
  now: number | null | undefined
  /** Where nothing is in force that is no limit. */
  isRead: boolean
  onChange: (value: number | undefined) => void
}

function NumberField({ field: { name, label, least, most, unit }, value, now, isRead, onChange }: NumberFieldProps) {
  const id = useId()
  const inForce =
    now === undefined ? '' : now === null ? (isRead ? whatIfCopy.noLimit : whatIfCopy.notRead) : formatUpTo(now, 0)
  return (
    <div className="columns middle gap-words" style={columnWidths('minmax(0, 1fr) 84px')}>
      <label htmlFor={id} className="size-label medium">
        {label}
        {unit !== undefined && <span className="muted"> ({unit})</span>}
      </label>
      <span className="small nowrap right numeric">{inForce === '' ? '' : whatIfCopy.today(inForce)}</span>
      <input
        type="range"
        className={`${styles.slider} narrow full`}
        aria-label={whatIfCopy.slider(label)}
        aria-valuetext={formatCount(value ?? now ?? least)}
        min={least}
        max={most}
        value={Math.min(most, value ?? now ?? least)}
        onChange={(event) => onChange(Number(event.currentTarget.value))}
      />
      <input
        id={id}
        type="number"
        className={`${styles.number} narrow full ink numeric`}
        step={name.startsWith('non_optimized') ? 'any' : 1}
        value={value ?? ''}
        placeholder={inForce}
        onChange={(event) => onChange(given(event.currentTarget.value))}
      />
    </div>
  )
}
