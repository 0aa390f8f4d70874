/** A token for guests, and the configuration of an agent that pushes with it. */

import { Alert, Button, Code, CopyButton, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addGuestToken } from '../../api/commands'
import type { Guests } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as guestsCopy from '../../copy/guests'
import { Icon } from '../../kit/mark/Icon'
import { Worded } from '../../kit/text/Worded'
import { type Agent, CONFIGURATIONS, listenerUrl, namesIn } from './agents'

interface Props {
  port: number
  guests: Pick<Guests, 'is_tls'>
  onClose: () => void
}

export function AddGuestsDialog({ port, guests, onClose }: Props) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [vms, setVms] = useState('')
  const make = useMutation({
    mutationFn: () => addGuestToken({ name: name.trim(), vm_names: namesIn(vms) }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['guests'] }),
  })
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={guestsCopy.add}
      closeButtonProps={{ 'aria-label': commonCopy.close }}
    >
      {make.data === undefined ? (
        <Stack gap="md">
          <TextInput
            label={guestsCopy.tokenName}
            description={guestsCopy.tokenNameHint}
            value={name}
            maxLength={200}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={guestsCopy.vmNames}
            description={guestsCopy.vmNamesHint}
            value={vms}
            onChange={(event) => setVms(event.currentTarget.value)}
          />
          {make.error && (
            <Alert color="red" variant="outline" icon={<Icon name="warning" />} title={guestsCopy.generateFailed}>
              <Worded>{make.error.message}</Worded>
            </Alert>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {commonCopy.cancel}
            </Button>
            <Button disabled={name.trim() === ''} loading={make.isPending} onClick={() => make.mutate()}>
              {guestsCopy.generate}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Configuration
          token={make.data.token}
          url={listenerUrl(location.hostname, port, guests.is_tls)}
          isTls={guests.is_tls}
        />
      )}
    </Modal>
  )
}

const AGENTS: { value: Agent; label: string }[] = [
  { value: 'linux', label: guestsCopy.linux },
  { value: 'windows', label: guestsCopy.windows },
  { value: 'collector', label: guestsCopy.collector },
]

interface ConfigurationProps {
  token: string
  url: string
  isTls: boolean
}

function Configuration({ token, url, isTls }: ConfigurationProps) {
  const [agent, setAgent] = useState<Agent>('linux')
  const text = CONFIGURATIONS[agent]({ url, token })
  return (
    <Stack gap="md">
      {!isTls && (
        <Alert variant="outline" icon={<Icon name="warning" />} title={guestsCopy.unencrypted}>
          {guestsCopy.unencryptedText}
        </Alert>
      )}
      <NativeSelect
        label={guestsCopy.agent}
        data={AGENTS}
        value={agent}
        onChange={(event) => setAgent(event.currentTarget.value as Agent)}
      />
      <strong>{guestsCopy.shownOnce}.</strong>
      <Code block>{text}</Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} leftSection={<Icon name={copied ? 'check' : 'copy'} />}>
            {copied ? commonCopy.copied : guestsCopy.copyConfiguration}
          </Button>
        )}
      </CopyButton>
    </Stack>
  )
}
