/** The certificate that a test met and did not trust: its fingerprint, what pinning it means, and one press that does it. */

import { Button } from '@mantine/core'
import * as sourcesCopy from '../../copy/sources'
import { Icon } from '../../kit/mark/Icon'
import styles from './SourcesPage.module.css'
import type { Trusted } from './trust'

/** What becomes of the certificate that a test met. `trusted`: what the settings trust by now. */
export interface Pinning {
  trusted: Trusted
  onPin: (sha256: string) => void
}

const INSTEAD: Record<NonNullable<Trusted>, string> = {
  fingerprint: sourcesCopy.replacesFingerprint,
  authority: sourcesCopy.replacesAuthority,
}

export function PinOffer({ sha256, pinning: { trusted, onPin } }: { sha256: string; pinning: Pinning }) {
  return (
    <div className="note across grid gap-8">
      <p>{sourcesCopy.seenFingerprint}</p>
      <p className={`${styles.fingerprint} size-note breaks`}>{sha256}</p>
      <p>{sourcesCopy.pinMeaning}</p>
      {trusted !== null && <p>{INSTEAD[trusted]}</p>}
      <Button
        size="xs"
        w="fit-content"
        maw="100%"
        leftSection={<Icon name="lock" size={14} />}
        onClick={() => onPin(sha256)}
      >
        {sourcesCopy.pinAndTest}
      </Button>
    </div>
  )
}
