/** Reads the certificate that an address presents, so that a person can compare it and pin it. No credential is sent. */

import { Alert, Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { readCertificate } from '../../api/commands'
import type { Certificate } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { Icon } from '../../kit/mark/Icon'
import { Worded } from '../../kit/text/Worded'
import { usePreferences } from '../../lib/preferences'
import { formatInstant } from '../../lib/time'
import styles from './SourcesPage.module.css'

interface CertificatePinProps {
  address: string
  /** The fingerprint that the form holds. */
  pinned: string
  onPin: (sha256: string) => void
}

export function CertificatePin({ address: given, pinned, onPin }: CertificatePinProps) {
  const reading = useMutation({ mutationFn: (address: string) => readCertificate(address) })
  const address = given.trim()
  const certificate = reading.data?.address === address || reading.variables === address ? reading.data : undefined
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Button
          size="xs"
          variant="default"
          disabled={address === ''}
          loading={reading.isPending}
          leftSection={<Icon name="lock" size={14} />}
          onClick={() => reading.mutate(address)}
        >
          {sourcesCopy.readCertificate}
        </Button>
        <span className="muted">
          {address === '' ? sourcesCopy.needsAddress : sourcesCopy.readCertificateHint}{' '}
          {sourcesCopy.certificateOptional}
        </span>
      </Group>
      {reading.error && (
        <Alert color="red" variant="outline" icon={<Icon name="warning" />} title={sourcesCopy.noCertificate}>
          <Worded>{reading.error.message}</Worded>
        </Alert>
      )}
      {certificate && (
        <Found
          certificate={certificate}
          isPinned={certificate.sha256 === pinned}
          onPin={() => onPin(certificate.sha256)}
        />
      )}
    </Stack>
  )
}

interface FoundProps {
  certificate: Certificate
  isPinned: boolean
  onPin: () => void
}

function Found({ certificate, isPinned, onPin }: FoundProps) {
  const { zone } = usePreferences()
  const isTrusted = certificate.trusted_by_system
  return (
    <Alert color="blue" variant="outline" title={isTrusted ? sourcesCopy.trusted : sourcesCopy.notTrusted}>
      <Stack gap={6}>
        <p>
          {certificate.subject}
          {sourcesCopy.issuedBy} {certificate.issuer}
          {sourcesCopy.validUntil} {formatInstant(Date.parse(certificate.not_after), zone)}
        </p>
        <p className={`${styles.fingerprint} size-note breaks`}>{certificate.sha256}</p>
        {!isTrusted && !isPinned && <p>{sourcesCopy.compareFingerprint}</p>}
        <Button size="xs" variant="default" onClick={onPin} disabled={isPinned} w="fit-content">
          {isPinned ? sourcesCopy.pinned : sourcesCopy.pinCompared}
        </Button>
      </Stack>
    </Alert>
  )
}
