/** The windows to choose from: those that end now, and any other by date and time. */

import { Loader } from '@mantine/core'
import { lazy, Suspense } from 'react'
import * as navigationCopy from '../copy/navigation'
import { Beside } from '../kit/layout/Beside'
import type { BoxButton } from '../kit/layout/boxButton'
import { useAhead } from '../kit/schedule/onPress'
import { serverNow } from '../lib/clock'
import { usePreferences } from '../lib/preferences'
import { PRESETS, presetLabel, type Range, rangeBounds } from '../lib/range'
import styles from './TimeControl.module.css'

const loadForm = () => import('./RangeForm')
const RangeForm = lazy(loadForm)

interface TimeBoxProps {
  of: BoxButton
  opened: boolean
  onChange: (opened: boolean) => void
  range: Range
  onChoose: (range: Range) => void
}

export default function TimeBox({ range, onChoose, ...box }: TimeBoxProps) {
  const { zone } = usePreferences()
  useAhead({ fetch: loadForm })
  return (
    <Beside {...box} label={navigationCopy.timeWindow} className={`${styles.dropdown} flex wrap`}>
      <Presets range={range} onChoose={onChoose} />
      <Suspense fallback={<Loader size="sm" />}>
        <RangeForm bounds={rangeBounds(range, serverNow())} zone={zone} onChoose={onChoose} />
      </Suspense>
    </Beside>
  )
}

function Presets({ range, onChoose }: { range: Range; onChoose: (range: Range) => void }) {
  return (
    <ul className={styles.presets}>
      {PRESETS.map((preset) => {
        const isChosen = range.kind === 'last' && range.last === preset
        return (
          <li key={preset}>
            <button
              type="button"
              className="choice plain full"
              aria-pressed={isChosen}
              data-autofocus={isChosen || undefined}
              onClick={() => onChoose({ kind: 'last', last: preset })}
            >
              {presetLabel(preset)}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
