/** Whether a live page judges the newest minutes or its whole window. A window that stands still is judged as a whole. */

import type { VerdictWindow } from '../../api/verdicts'
import { judgedRange, presetLabel, type Range } from '../../lib/range'
import { AtOnce } from '../../lib/search'
import { useRange, useSearchParameter } from '../../lib/url'
import styles from './Verdict.module.css'

/** What the verdict is about: null is "the newest minutes". */
export function useVerdictWindow(): VerdictWindow {
  const [range] = useRange()
  const [span] = useSearchParameter('span', '')
  return judgedRange(range, span)
}

export function SpanSwitch() {
  return (
    <AtOnce>
      <Switch />
    </AtOnce>
  )
}

function Switch() {
  const [range] = useRange()
  const [span, setSpan] = useSearchParameter('span', '')
  if (range.kind === 'fixed') return null
  return (
    <fieldset className={styles.switch} aria-label="What is judged">
      <button type="button" aria-pressed={span === ''} onClick={() => setSpan('')}>
        Newest 5 min
      </button>
      <button type="button" aria-pressed={span === 'window'} onClick={() => setSpan('window')}>
        {wholeWindow(range)}
      </button>
    </fieldset>
  )
}

const wholeWindow = (range: Range) => (range.kind === 'last' ? presetLabel(range.last) : '')
