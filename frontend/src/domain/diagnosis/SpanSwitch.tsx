/** Whether a live page judges the newest minutes or its whole window. A window that stands still is judged as a whole. */

import type { DiagnosisWindow } from '../../api/diagnoses'
import * as diagnosisCopy from '../../copy/diagnosis'
import { judgedRange, presetLabel, type Range } from '../../lib/range'
import { AtOnce } from '../../lib/search'
import { useRange, useSearchParameter } from '../../lib/url'
import styles from './Diagnosis.module.css'

/** What the diagnosis is about: null is "the newest minutes". */
export function useDiagnosisWindow(): DiagnosisWindow {
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
    <fieldset className={styles.switch} aria-label={diagnosisCopy.window}>
      <button type="button" aria-pressed={span === ''} onClick={() => setSpan('')}>
        {diagnosisCopy.lastFiveMinutes}
      </button>
      <button type="button" aria-pressed={span === 'window'} onClick={() => setSpan('window')}>
        {wholeWindow(range)}
      </button>
    </fieldset>
  )
}

const wholeWindow = (range: Range) => (range.kind === 'last' ? presetLabel(range.last) : '')
