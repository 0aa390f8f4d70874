/** A time of day in 24 hours, whatever the browser's locale: the same time reads the same for everybody in a review. */

import * as silencesCopy from '../../../copy/silences'
import '@mantine/dates/styles.css'
import { TimePicker } from '@mantine/dates'

interface TimeOfDayProps {
  label: string
  /** "22:05"; empty where it is not whole yet. */
  value: string
  onChange: (value: string) => void
  error: string | undefined
}

export function TimeOfDay({ label, value, onChange, error }: TimeOfDayProps) {
  return (
    <TimePicker
      label={label}
      format="24h"
      value={value}
      // Its seconds are not asked for.
      onChange={(time) => onChange(time.slice(0, 5))}
      error={error}
      hoursInputLabel={silencesCopy.hours(label)}
      minutesInputLabel={silencesCopy.minutes(label)}
    />
  )
}
