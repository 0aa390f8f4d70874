/** A fixed window, picked by date and time. Loaded when the window is opened for the first time. */

import * as navigationCopy from '../copy/navigation'
import '@mantine/dates/styles.css'
import { InlineDateTimePicker } from '@mantine/dates'
import { useState } from 'react'
import { serverNow } from '../lib/clock'
import type { Range } from '../lib/range'
import { fromWallClock, wallClock, type Zone, zoneName } from '../lib/time'
import styles from './RangeForm.module.css'

/** Month and year are named by what they show. */
const ARIA_LABELS = {
  nextMonth: navigationCopy.nextMonth,
  previousMonth: navigationCopy.previousMonth,
  nextYear: navigationCopy.nextYear,
  previousYear: navigationCopy.previousYear,
  nextDecade: navigationCopy.nextDecade,
  previousDecade: navigationCopy.previousDecade,
}

interface RangeFormProps {
  bounds: { from_ms: number; to_ms: number }
  zone: Zone
  onChoose: (range: Range) => void
}

export default function RangeForm({ bounds, zone, onChoose }: RangeFormProps) {
  const [value, setValue] = useState<[string | null, string | null]>([
    wallClock(bounds.from_ms, zone),
    wallClock(bounds.to_ms, zone),
  ])
  const [from_ms, to_ms] = value.map((text) => (text === null ? Number.NaN : fromWallClock(text, zone)))
  const isUsable = from_ms !== undefined && to_ms !== undefined && to_ms - from_ms >= 60_000
  return (
    <div className="column gap-10" style={{ width: 300 }}>
      <p className="size-label semibold">
        {navigationCopy.fixedWindow} {zoneName(zone)}
      </p>
      <InlineDateTimePicker
        type="range"
        value={value}
        onChange={setValue}
        maxDate={wallClock(serverNow(), zone)}
        size="xs"
        valueFormat="D MMM YYYY HH:mm"
        hideOutsideDates
        ariaLabels={ARIA_LABELS}
        className={styles.picker}
        submitButtonProps={{ 'aria-label': navigationCopy.showWindow, disabled: !isUsable }}
        onSubmit={() => isUsable && onChoose({ kind: 'fixed', from_ms, to_ms })}
      />
    </div>
  )
}
