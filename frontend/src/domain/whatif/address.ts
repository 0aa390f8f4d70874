/** A scenario of a what-if in an address: `try=depth:96,dsnro:64`; `lift:1` takes the IOPS limit away. */

import type { FlatSearch } from '../../lib/search'

/** Settings by name, as the address writes them. */
export const WORDS = {
  threads: 'threads',
  virtual_disk_queue: 'disk_queue',
  device_depth: 'depth',
  dsnro: 'dsnro',
  disks: 'disks',
  datastores: 'datastores',
  hosts: 'hosts',
  iops_limit: 'limit',
  demand_iops: 'demand',
  non_optimized_percent: 'far_percent',
  non_optimized_extra_us: 'far_us',
} as const
export type NumberName = keyof typeof WORDS
export const LIFT = 'lift'

/** Undefined: nothing is tried. */
export const written = (tried: ReadonlyMap<string, number>) =>
  [...tried].map(([word, number]) => `${word}:${number}`).join(',') || undefined

/** Of an object, over a time range. lifts_iops_limit 1: without it. */
export const trialSearch = (
  object: { kind: string; id: number },
  settings: Readonly<Record<string, number>>,
  range: { from: string; to: string },
): FlatSearch => ({
  object: `${object.kind}-${object.id}`,
  try: written(
    new Map(
      Object.entries(settings).map(([name, value]): [string, number] => [
        name === 'lifts_iops_limit' ? LIFT : (WORDS[name as NumberName] ?? name),
        value,
      ]),
    ),
  ),
  ...range,
})
