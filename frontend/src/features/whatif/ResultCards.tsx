/** What a scenario would do: numbers before and after, the parts of the path as bars, limits, neighbors and the array. */

import type { CSSProperties } from 'react'
import type { WhatIf, WhatIfChange } from '../../api/types'
import * as whatIfCopy from '../../copy/whatif'
import { between } from '../../domain/whatif/range'
import { Card } from '../../kit/layout/Card'
import { usePreferences } from '../../lib/preferences'
import { visibleName } from '../../lib/text'
import { formatClock, instantMs } from '../../lib/time'
import { formatCount, formatIops, formatLatency, formatUpTo, NOT_MEASURED } from '../../lib/units'
import { type PartBars, partBars } from './bars'
import styles from './WhatIf.module.css'

type Format = (value: number) => string

const afterText = ({ lower, upper }: WhatIfChange, format: Format) => between(lower, upper, format)

export function ResultCard({ found }: { found: WhatIf }) {
  const rows: [string, WhatIfChange | null, Format][] = [
    [whatIfCopy.iops, found.iops, formatIops],
    [whatIfCopy.latency, found.total_us, formatLatency],
    [whatIfCopy.neighborsIops, found.neighbor_iops, formatIops],
    [whatIfCopy.neighborsLatency, found.neighbor_us, formatLatency],
    [whatIfCopy.arrayIops, found.array_iops, formatIops],
    [whatIfCopy.arrayInFlight, found.array_in_flight, formatCount],
  ]
  return (
    <Card title={whatIfCopy.result} hint={<Measured found={found} />}>
      <div className={`${styles.result} flex wrap`} aria-live="polite">
        <table className={`${styles.rows} lines narrow`} aria-label={whatIfCopy.result}>
          <thead>
            <tr>
              <td />
              <th scope="col">{whatIfCopy.before}</th>
              <th scope="col">{whatIfCopy.after}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([label, change, format]) =>
              change === null ? null : (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  <td className="numeric">{change.before === null ? NOT_MEASURED : format(change.before)}</td>
                  <td className="numeric">
                    <strong>{afterText(change, format)}</strong>
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </table>
        <Limits found={found} />
      </div>
      <ul className={`${styles.notes} quiet`}>
        <li>{loopText(found)}</li>
        <li>
          {found.open_loop === null
            ? whatIfCopy.overrun
            : whatIfCopy.open(
                formatIops(found.open_loop.iops),
                between(found.open_loop.lower_us, found.open_loop.upper_us, formatLatency),
              )}
        </li>
        <li>{whatIfCopy.modelled(formatIops(found.modelled_now.iops), formatLatency(found.modelled_now.total_us))}</li>
        <li>
          {found.is_fitted && found.start !== null
            ? whatIfCopy.fitted(formatCount(found.start.history_minutes))
            : whatIfCopy.bounded}
        </li>
        {(found.start?.others.length ?? 0) > 0 && (
          <li>{whatIfCopy.others(formatCount(found.start?.others.length ?? 0))}</li>
        )}
        {found.notes.map((note) => (
          <li key={note}>{visibleName(note)}</li>
        ))}
      </ul>
    </Card>
  )
}

function loopText({ slow, fast }: WhatIf): string {
  const [low, high] = [Math.min(slow.iops, fast.iops), Math.max(slow.iops, fast.iops)]
  const [short, long] = [Math.min(slow.total_us, fast.total_us), Math.max(slow.total_us, fast.total_us)]
  return whatIfCopy.closed(between(low, high, formatIops), between(short, long, formatLatency))
}

function Measured({ found: { start } }: { found: WhatIf }) {
  const { zone } = usePreferences()
  if (start === null) return null
  const [from, to] = [start.from_at, start.to_at].map((at) => formatClock(instantMs(at) ?? 0, zone))
  return (
    <>
      {whatIfCopy.queueOf(visibleName(start.carried ?? start.queue.device.name), visibleName(start.queue.host.name))}.{' '}
      {whatIfCopy.measured(from ?? '', to ?? '', formatCount(start.minutes))}
    </>
  )
}

function Limits({ found: { ceilings } }: { found: WhatIf }) {
  const words = (index: number) => {
    const ceiling = ceilings[index]
    return ceiling === undefined ? whatIfCopy.none : whatIfCopy.limitIos(ceiling.label, formatUpTo(ceiling.ios, 0))
  }
  return (
    <dl className="column gap-8">
      {[whatIfCopy.binding, whatIfCopy.next].map((label, index) => (
        <div key={label}>
          <dt className="quiet">{label}</dt>
          <dd className="numeric semibold">{words(index)}</dd>
        </div>
      ))}
    </dl>
  )
}

export function BreakdownCard({ found }: { found: WhatIf }) {
  const { rows } = partBars(found.parts)
  return (
    <Card title={whatIfCopy.breakdown}>
      <p className={`${styles.legend} row wrap quiet`} aria-hidden="true">
        <span className={styles.before} /> {whatIfCopy.beforeBar} <span className={styles.sure} /> {whatIfCopy.afterBar}{' '}
        <span className={styles.range} /> {whatIfCopy.rangeBar}
      </p>
      <table className={`${styles.rows} lines narrow`} aria-label={whatIfCopy.breakdownTable}>
        <thead>
          <tr>
            <th scope="col">{whatIfCopy.part}</th>
            <th scope="col">{whatIfCopy.before}</th>
            <th scope="col">{whatIfCopy.after}</th>
            <td className={`${styles.drawn} not-on-phones`} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.label}</th>
              <td className="numeric">{formatLatency(row.before_us)}</td>
              <td className="numeric">{between(row.lower_us, row.upper_us, formatLatency)}</td>
              <td className={`${styles.drawn} not-on-phones`}>
                <Bars row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

/** Colors of styles/tokens.css; the guest's fill would be too faint by itself. */
const INKS: Record<PartBars['name'], string> = {
  guest_queue: 'guest-edge',
  hypervisor: 'kernel-other',
  kernel_queue: 'kernel-queue',
  kernel_processing: 'kernel-other',
  san: 'san',
  array: 'array-service',
}

/** The numbers stand beside it. */
function Bars({ row: { name, before, after } }: { row: PartBars }) {
  const at = (start: number, end: number) => ({ left: `${start}%`, width: `${Math.max(0, end - start)}%` })
  return (
    <div className="grid gap-2" style={{ '--part': `var(--gv-${INKS[name]})` } as CSSProperties} aria-hidden="true">
      <div className={`${styles.track} relative`}>
        {before !== null && <span className={styles.before} style={at(before.start, before.end)} />}
      </div>
      <div className={`${styles.track} relative`}>
        <span className={styles.range} style={at(after.start, after.end)} />
        <span className={styles.sure} style={at(after.start, after.sure)} />
      </div>
    </div>
  )
}
