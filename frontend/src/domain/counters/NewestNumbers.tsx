/** The newest minute as both sides tell it. */

import type { Sides } from '../../api/types'
import * as countersCopy from '../../copy/counters'
import { leastWidth } from '../../kit/layout/columns'
import { NO_IO, Quantity } from '../../kit/text/Quantity'
import type { ColumnUnit } from '../../lib/units'
import { isIdle } from '../lists/sides'
import styles from './NewestNumbers.module.css'

type HostKey = 'host_gavg_us' | 'host_davg_us' | 'host_kavg_us' | 'host_iops'

const HOST_NUMBERS: [string, HostKey, ColumnUnit][] = [
  [countersCopy.hostsGavg, 'host_gavg_us', 'µs'],
  [countersCopy.hostsDavg, 'host_davg_us', 'µs'],
  [countersCopy.hostsKavg, 'host_kavg_us', 'µs'],
  [countersCopy.hostsIops, 'host_iops', 'ops/s'],
]

const DISK_NUMBERS: [string, HostKey, ColumnUnit][] = [
  [countersCopy.sideVirtualDisks, 'host_gavg_us', 'µs'],
  [countersCopy.diskIops, 'host_iops', 'ops/s'],
]

/** A VM's own number is its virtual disks' latency; the boundaries below belong to devices and volumes that it shares. */
export function NewestNumbers({ newest, isVm, others }: { newest: Sides; isVm: boolean; others: string }) {
  const numbers: [string, 'host' | 'array', number | null, ColumnUnit][] = [
    ...(isVm ? DISK_NUMBERS : HOST_NUMBERS).map(([term, key, unit]): [string, 'host', number | null, ColumnUnit] => [
      term,
      'host',
      newest[key],
      unit,
    ]),
    [countersCopy.arrayLatency, 'array', newest.array_internal_us, 'µs'],
    [countersCopy.arraySan, 'array', newest.array_san_us, 'µs'],
    [others ? countersCopy.arrayIopsOf(others) : countersCopy.arrayIops, 'array', newest.array_iops, 'ops/s'],
  ]
  return (
    <dl className="fitted gap-10" style={leastWidth(128)} aria-label={countersCopy.lastMinute}>
      {numbers.map(([term, owner, value, unit]) => (
        <div key={term} className={`${styles.number} surface narrow`} data-owner={owner}>
          <dt className="quiet nowrap">{term}</dt>
          <dd className="size-lead semibold nowrap">
            <Quantity
              value={value}
              unit={unit}
              bare={unit === 'ops/s'}
              absent={unit === 'µs' && isIdle(newest, owner) ? NO_IO : undefined}
              precision={owner === 'host' && unit === 'µs' ? newest.host_precision_us : null}
              isCompared={owner === 'host' && unit === 'µs'}
            />
          </dd>
        </div>
      ))}
    </dl>
  )
}
