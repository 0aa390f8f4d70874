/** A few choices side by side, of which one holds. */

import { Button } from '@mantine/core'

interface SegmentsProps<Value extends string> {
  /** What is chosen, to who hears it. */
  label: string
  options: readonly { value: Value; label: string }[]
  chosen: string | null
  onChoose: (value: Value) => void
}

export function Segments<Value extends string>({ label, options, chosen, onChoose }: SegmentsProps<Value>) {
  return (
    <Button.Group aria-label={label} className="scroll-x">
      {options.map(({ value, label: words }) => (
        <Button
          key={value}
          size="compact-sm"
          className="fixed"
          variant={value === chosen ? 'filled' : 'default'}
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {words}
        </Button>
      ))}
    </Button.Group>
  )
}
