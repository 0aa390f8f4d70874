/** What whoever adds a source needs before beginning, as the API says it of each kind. */

import type { SourceKind } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { Worded } from '../../kit/text/Worded'
import styles from './AtHand.module.css'

export function AtHand({ kinds, isNamed = false }: { kinds: readonly SourceKind[]; isNamed?: boolean }) {
  return (
    <div className={`${styles.atHand} grid breaks gap-10`}>
      {kinds.map(({ kind, title, at_hand }) => (
        <p key={kind}>
          <strong>{isNamed ? title : sourcesCopy.prerequisites}:</strong> <Worded>{at_hand}</Worded>
        </p>
      ))}
    </div>
  )
}
