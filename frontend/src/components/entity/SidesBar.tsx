/** Two bars on one scale: what the hosts measured (driver, kernel) over what the array measured (inside, port). */

import type { Sides } from '../../api/types'
import { formatLatency } from '../../lib/units'
import styles from './SidesBar.module.css'
import { arrayLatencyUs } from './sides'

interface Part {
  us: number | null
  colour: string
  /** Not resolved by the counter: somewhere below one step, or the rest that its steps hide. */
  isBelowStep?: boolean
}

/** A counter in whole ms: its zero is "less than 1 ms", which is drawn as such and not as nothing. */
const COARSE_US = 1000

/** What the hosts measured; what their counters' steps hide is hatched. */
export function hostParts({ host_gavg_us, host_davg_us, host_kavg_us, host_precision_us }: Sides): Part[] {
  const step_us = host_precision_us ?? 0
  if (host_gavg_us !== null && step_us >= COARSE_US && host_gavg_us < step_us / 2)
    return [{ us: step_us, colour: BOUNDARY, isBelowStep: true }]
  if (host_davg_us === null) return [{ us: host_gavg_us, colour: BOUNDARY }]
  const rest_us = (host_gavg_us ?? 0) - host_davg_us - (host_kavg_us ?? 0)
  return [
    { us: host_davg_us, colour: BOUNDARY },
    { us: host_kavg_us, colour: 'var(--gv-kernel-queue)' },
    ...(rest_us > 0 && step_us >= COARSE_US ? [{ us: rest_us, colour: BOUNDARY, isBelowStep: true }] : []),
  ]
}

const BOUNDARY = 'var(--gv-boundary)'

export function SidesBar({ newest, max_us }: { newest: Sides; max_us: number }) {
  const array: Part[] = [
    { us: newest.array_internal_us, colour: 'var(--gv-array-service)' },
    { us: newest.array_san_us, colour: 'var(--gv-san)' },
  ]
  const words = `Hosts ${formatLatency(newest.host_gavg_us, newest.host_precision_us)}, array ${formatLatency(arrayLatencyUs(newest))}`
  return (
    <span className={styles.bars} role="img" aria-label={words} title={words}>
      <Bar parts={hostParts(newest)} max_us={max_us} />
      <Bar parts={array} max_us={max_us} />
    </span>
  )
}

function Bar({ parts, max_us }: { parts: readonly Part[]; max_us: number }) {
  if (parts.every((part) => part.us === null)) return <span className={styles.missing} />
  return (
    <span className={styles.bar}>
      {parts.map(
        (part) =>
          part.us !== null &&
          part.us > 0 && (
            <span
              key={part.colour + String(part.isBelowStep)}
              className={part.isBelowStep ? styles.belowStep : styles.part}
              style={{ width: `${Math.min(100, (100 * part.us) / max_us)}%`, ...paint(part) }}
            />
          ),
      )}
    </span>
  )
}

function paint({ colour, isBelowStep }: Part) {
  return isBelowStep ? { color: colour } : { background: colour }
}
