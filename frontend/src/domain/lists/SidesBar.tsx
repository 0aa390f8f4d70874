/** Two bars on one scale: what the hosts measured (driver, kernel) over what the array measured (inside, port). */

import type { Sides } from '../../api/types'
import * as listsCopy from '../../copy/lists'
import { counterBounds, formatCounter, formatLatency } from '../../lib/units'
import styles from './SidesBar.module.css'
import { arrayLatencyUs } from './sides'

interface Part {
  us: number | null
  color: string
  /** Not resolved by the counter: it may stand for so much more. */
  isBelowStep?: boolean
}

const COARSE_US = 1000

/** What the hosts measured: of counters in whole ms what is confirmed is solid, and what they may stand for besides is hatched. */
export function hostParts({ host_gavg_us, host_davg_us, host_kavg_us, host_precision_us }: Sides): Part[] {
  const [whole_us, driver_us] = [host_gavg_us ?? host_davg_us, host_davg_us ?? host_gavg_us]
  const kernel_us = host_davg_us === null ? null : host_kavg_us
  const parts = [
    { us: driver_us, color: BOUNDARY },
    ...(kernel_us === null ? [] : [{ us: kernel_us, color: 'var(--gv-kernel-queue)' }]),
  ]
  if (whole_us === null || (host_precision_us ?? 0) < COARSE_US) return parts
  const confirmed = parts.map((part) => ({ ...part, us: counterBounds(part.us ?? 0, host_precision_us)[0] }))
  const confirmed_us = confirmed.reduce((sum, { us }) => sum + us, 0)
  const perhaps_us = counterBounds(whole_us, host_precision_us)[1] - confirmed_us
  return [...confirmed, { us: perhaps_us, color: BOUNDARY, isBelowStep: true }]
}

const BOUNDARY = 'var(--gv-boundary)'

export function SidesBar({ newest, max_us }: { newest: Sides; max_us: number }) {
  const array: Part[] = [
    { us: newest.array_internal_us, color: 'var(--gv-array-service)' },
    { us: newest.array_san_us, color: 'var(--gv-san)' },
  ]
  const words = listsCopy.hostArrayLatency(
    formatCounter(newest.host_gavg_us, newest.host_precision_us),
    formatLatency(arrayLatencyUs(newest)),
  )
  return (
    <span className={`${styles.bars} grid full`} role="img" aria-label={words} title={words}>
      <Bar parts={hostParts(newest)} max_us={max_us} />
      <Bar parts={array} max_us={max_us} />
    </span>
  )
}

function Bar({ parts, max_us }: { parts: readonly Part[]; max_us: number }) {
  if (parts.every((part) => part.us === null)) return <span className={styles.missing} />
  return (
    <span className={`${styles.bar} flex`}>
      {parts.map(
        (part) =>
          part.us !== null &&
          part.us > 0 && (
            <span
              key={part.color + String(part.isBelowStep)}
              className={part.isBelowStep ? styles.belowStep : styles.part}
              style={{ width: `${Math.min(100, (100 * part.us) / max_us)}%`, ...paint(part) }}
            />
          ),
      )}
    </span>
  )
}

function paint({ color, isBelowStep }: Part) {
  return isBelowStep ? { color: color } : { background: color }
}

const KEY = [
  [BOUNDARY, listsCopy.keyHosts],
  ['var(--gv-kernel-queue)', listsCopy.keyKernel],
  ['var(--gv-array-service)', listsCopy.keyArray],
  ['var(--gv-san)', listsCopy.keySan],
] as const

/** What the colors of the bars in "Hosts over array" mean, once for a list. */
export function SidesKey({ className = '' }: { className?: string | undefined }) {
  return (
    <ul className={`list flex wrap small gap-words ${className}`} aria-label={listsCopy.keyLabel}>
      {KEY.map(([color, word]) => (
        <li key={word}>
          <span className={`${styles.swatch} inline`} style={{ background: color }} /> {word}
        </li>
      ))}
      <li>
        <span className={`${styles.swatch} inline`}>
          <span className={`${styles.belowStep} grow`} style={{ color: BOUNDARY }} />
        </span>{' '}
        {listsCopy.keyResolution}
      </li>
    </ul>
  )
}
