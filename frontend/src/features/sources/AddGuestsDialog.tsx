/** A token for guests, and the configuration of an agent, or a script, that pushes with it. */

import { Alert, Button, Code, CopyButton, Group, NativeSelect, Skeleton, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addGuestToken } from '../../api/commands'
import { guestScriptsQuery } from '../../api/queries'
import type { GuestScript, Guests } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as guestsCopy from '../../copy/guests'
import { FormDialog } from '../../kit/form/FormDialog'
import { Icon } from '../../kit/mark/Icon'
import { DataState } from '../../kit/state/DataState'
import { Worded } from '../../kit/text/Worded'
import { type Agent, CONFIGURATIONS, isListenerUrl, listenerUrl, namesIn, scriptFor, type Target } from './agents'

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
    <FormDialog title={guestsCopy.add} size="lg" isSaved={make.isSuccess} onClose={onClose}>
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
    </FormDialog>
  )
}

type Way = Agent | GuestScript['system']

const WAYS: { value: Way; label: string }[] = [
  { value: 'telegraf_linux', label: guestsCopy.linux },
  { value: 'telegraf_windows', label: guestsCopy.windows },
  { value: 'collector', label: guestsCopy.collector },
  { value: 'linux', label: guestsCopy.linuxScript },
  { value: 'windows', label: guestsCopy.windowsScript },
]

interface ConfigurationProps {
  token: string
  url: string
  isTls: boolean
}

function Configuration({ token, url, isTls }: ConfigurationProps) {
  const [way, setWay] = useState<Way>('telegraf_linux')
  const [address, setAddress] = useState(url)
  const isAddress = isListenerUrl(address)
  const target = { url: address, token }
  return (
    <Stack gap="md">
      {!isTls && (
        <Alert color="var(--gv-warn)" variant="outline" icon={<Icon name="warning" />} title={guestsCopy.unencrypted}>
          {guestsCopy.unencryptedText}
        </Alert>
      )}
      <NativeSelect
        label={guestsCopy.agent}
        data={WAYS}
        value={way}
        onChange={(event) => setWay(event.currentTarget.value as Way)}
      />
      <TextInput
        label={guestsCopy.address}
        description={guestsCopy.addressHint}
        value={address}
        error={isAddress ? undefined : guestsCopy.noAddress}
        onChange={(event) => setAddress(event.currentTarget.value.trim())}
      />
      <strong>{guestsCopy.shownOnce}.</strong>
      {!isAddress ? null : way === 'linux' || way === 'windows' ? (
        <Script system={way} target={target} />
      ) : (
        <Copyable text={CONFIGURATIONS[way](target)} label={guestsCopy.copyConfiguration} />
      )}
    </Stack>
  )
}

function Script({ system, target }: { system: GuestScript['system']; target: Target }) {
  const query = useQuery(guestScriptsQuery())
  return (
    <DataState query={query} skeleton={<Skeleton height={240} />}>
      {(scripts) =>
        scripts
          .filter((script) => script.system === system)
          .map((script) => (
            <Stack key={system} gap="md">
              <p>
                <Worded>{guestsCopy.run[system](script.file_name)}</Worded>
              </p>
              <Copyable text={scriptFor(script, target)} label={guestsCopy.copyScript} />
            </Stack>
          ))
      }
    </DataState>
  )
}

function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <>
      <Code block className="verbatim" mah="min(280px, 30vh)" tabIndex={0} role="region" aria-label={guestsCopy.text}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            w="fit-content"
            onClick={copy}
            leftSection={<Icon name={copied ? 'check' : 'copy'} />}
          >
            {copied ? commonCopy.copied : label}
          </Button>
        )}
      </CopyButton>
    </>
  )
}
