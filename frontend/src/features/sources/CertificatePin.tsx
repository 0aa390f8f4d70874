/** Reads the certificate that an address presents, so that a person can compare it and pin it. No credential is sent. */

import { Alert, Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { readCertificate } from '../../api/commands'
import type { Certificate } from '../../api/types'
import type { Values } from '../../components/form/schema'
import { Icon } from '../../components/Icon'
import { Worded } from '../../components/Worded'
import { usePreferences } from '../../lib/preferences'
import { formatInstant } from '../../lib/time'
import styles from './SourcesPage.module.css'

const PIN = 'fingerprint_sha256'

/** Shown for kinds of sources whose settings have an address and a pin. */
export function CertificatePin({ values, onChange }: { values: Values; onChange: (values: Values) => void }) {
  const reading = useMutation({ mutationFn: (address: string) => readCertificate(address) })
  const address = typeof values.address === 'string' ? values.address.trim() : ''
  if (!('address' in values) || !(PIN in values)) return null
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
          Read its certificate
        </Button>
        <span className="muted">For self-signed certificates: compare the fingerprint, then pin it.</span>
      </Group>
      {reading.error && (
        <Alert color="red" variant="outline" icon={<Icon name="warning" />} title="No certificate">
          <Worded>{reading.error.message}</Worded>
        </Alert>
      )}
      {certificate && (
        <Found certificate={certificate} onPin={() => onChange({ ...values, [PIN]: certificate.sha256 })} />
      )}
    </Stack>
  )
}

function Found({ certificate, onPin }: { certificate: Certificate; onPin: () => void }) {
  const { zone } = usePreferences()
  return (
    <Alert
      color="blue"
      variant="outline"
      title={certificate.trusted_by_system ? 'Trusted by this system: no pin is needed' : 'Not trusted by this system'}
    >
      <Stack gap={6}>
        <p>
          {certificate.subject}, issued by {certificate.issuer}, valid until{' '}
          {formatInstant(Date.parse(certificate.not_after), zone)}
        </p>
        <p className={styles.fingerprint}>{certificate.sha256}</p>
        <Button size="xs" variant="default" onClick={onPin} w="fit-content">
          I have compared it: pin this certificate
        </Button>
      </Stack>
    </Alert>
  )
}
