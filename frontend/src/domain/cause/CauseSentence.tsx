/** "Cause (confirmed): …": the clause of the diagnosis that names who is behind it. Candidates are listed, and not named in it as well. */

import type { Cause } from '../../api/types'
import * as causeCopy from '../../copy/cause'
import { unbroken } from '../diagnosis/unbroken'
import styles from './Cause.module.css'
import { confidenceWord } from './confidence'

export function CauseSentence({ cause }: { cause: Cause }) {
  return (
    <p className={`${styles.sentence} breaks pretty`}>
      {cause.confidence !== null && (
        <span className="semibold">{causeCopy.lead(confidenceWord(cause.confidence))}</span>
      )}
      {unbroken(cause.candidates.length > 0 ? cause.headline : cause.text)}.
    </p>
  )
}
