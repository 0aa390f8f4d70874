/** The certificate that a test met and did not trust: its fingerprint, what pinning it means, and one press that does it. */

import { Button } from '@mantine/core'
import { Icon } from '../../components/Icon'
import styles from './SourcesPage.module.css'
import type { Trusted } from './trust'

/** What becomes of the certificate that a test met. `trusted`: what the settings trust by now. */
export interface Pinning {
  trusted: Trusted
  onPin: (sha256: string) => void
}

const INSTEAD: Record<NonNullable<Trusted>, string> = {
  fingerprint:
    'It takes the place of the fingerprint given above. Do that only if you know that the certificate was renewed: if nobody renewed it, somebody may stand in between.',
  authority: 'It takes the place of the certificate authority given above.',
}

export function PinOffer({ sha256, pinning: { trusted, onPin } }: { sha256: string; pinning: Pinning }) {
  return (
    <div className={styles.pin}>
      <p>SHA-256 fingerprint of the certificate that was seen:</p>
      <p className={styles.fingerprint}>{sha256}</p>
      <p>
        Pinning it means that Gavel accepts exactly this certificate from this source, self-signed or not, and no other.
        Compare the fingerprint first with the one that the source’s own console shows, or a browser on its own page,
        opened from a network that you trust.
      </p>
      {trusted !== null && <p>{INSTEAD[trusted]}</p>}
      <Button
        size="xs"
        w="fit-content"
        maw="100%"
        leftSection={<Icon name="lock" size={14} />}
        onClick={() => onPin(sha256)}
      >
        Pin this certificate and test again
      </Button>
    </div>
  )
}
