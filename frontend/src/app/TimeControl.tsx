/** Which window is looked at, and whether it moves with the clock. */

import { ActionIcon, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useFailing } from '../api/failing'
import { type Live, useLive } from '../api/live'
import * as navigationCopy from '../copy/navigation'
import { useBoxButton } from '../kit/layout/boxButton'
import { Icon } from '../kit/mark/Icon'
import { StateMark, type Tone } from '../kit/mark/StateMark'
import { standing } from '../kit/schedule/onPress'
import { serverNow } from '../lib/clock'
import { OFFLINE } from '../lib/offline'
import { usePreferences } from '../lib/preferences'
import { presetFor, presetLabel, type Range, rangeBounds, shiftRange } from '../lib/range'
import { formatWindow, type Zone, zoneName } from '../lib/time'
import { useRange } from '../lib/url'
import styles from './TimeControl.module.css'

const TimeBox = standing(async () => (await import('./TimeBox')).default)

export function TimeControl() {
  const [range, setRange] = useRange()
  const { zone } = usePreferences()
  const [isOpen, setOpen] = useState(false)
  const { button, carried } = useBoxButton(isOpen)
  const choose = (next: Range) => {
    setRange(next)
    setOpen(false)
  }
  const words = range.kind === 'last' ? presetLabel(range.last) : formatWindow(range.from_ms, range.to_ms, zone)
  return (
    <Group gap={4} wrap="nowrap" className={`${styles.control} narrow`}>
      <Step icon="left" label={navigationCopy.earlier} onClick={() => setRange(shiftRange(range, -1, serverNow()))} />
      <Button
        {...carried}
        variant="default"
        size="sm"
        className={styles.window}
        onClick={() => setOpen(!isOpen)}
        // Fast fingers press it before the focus has moved into what opened.
        onKeyDown={({ key }) => key === 'Escape' && setOpen(false)}
        leftSection={<Icon name="clock" />}
      >
        <span className="numeric ends">{words}</span>
        {range.kind === 'last' && <ZoneWord zone={zone} />}
      </Button>
      <TimeBox opened={isOpen} onChange={setOpen} of={button} range={range} onChoose={choose} />
      <Step
        icon="right"
        label={navigationCopy.later}
        onClick={() => setRange(shiftRange(range, 1, serverNow()))}
        disabled={range.kind === 'last'}
      />
      {OFFLINE === null && <FreezeToggle range={range} onChange={setRange} />}
    </Group>
  )
}

/** Whose clock all times of the page are told by; a fixed window says it with its times. */
function ZoneWord({ zone }: { zone: Zone }) {
  const name = zoneName(zone, serverNow())
  return (
    <span className="small" style={{ marginLeft: 8 }} title={navigationCopy.timesIn(name)}>
      {name}
    </span>
  )
}

function Step({
  icon,
  label,
  onClick,
  disabled = false,
}: {
  icon: 'left' | 'right'
  label: string
  onClick: () => void
  disabled?: boolean
}) {
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      title={label}
      onClick={onClick}
      disabled={disabled}
      className="not-on-phones"
    >
      <Icon name={icon} />
    </ActionIcon>
  )
}

/** Numbers that cannot be read are not live, however well the stream of events is. */
function followMark(state: Live['state'], isFailing: boolean): { tone: Tone; word: string } {
  if (state === 'polling') return { tone: 'warn', word: navigationCopy.polling }
  return isFailing ? { tone: 'bad', word: navigationCopy.failing } : { tone: 'good', word: navigationCopy.live }
}

/** Live follows the clock; frozen stands still so that two people talk about the same picture. */
function FreezeToggle({ range, onChange }: { range: Range; onChange: (range: Range) => void }) {
  const { state } = useLive()
  const isFailing = useFailing()
  const isFrozen = range.kind === 'fixed'
  const explanation = isFrozen ? navigationCopy.pausedHint : navigationCopy.liveHint
  function toggle() {
    onChange(
      isFrozen ? { kind: 'last', last: presetFor(range) } : { kind: 'fixed', ...rangeBounds(range, serverNow()) },
    )
  }
  return (
    <Button
      variant="default"
      size="sm"
      onClick={toggle}
      aria-pressed={isFrozen}
      className={styles.freeze}
      data-tip={explanation}
    >
      {isFrozen ? (
        <span className="inline-row gap-6">
          <Icon name="frozen" size={14} /> {navigationCopy.paused}
        </span>
      ) : (
        <StateMark {...followMark(state, isFailing)} />
      )}
    </Button>
  )
}
