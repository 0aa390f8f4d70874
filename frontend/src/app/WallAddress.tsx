/** Makes the address that a wall screen opens once, where even reading needs a token; its letters fit the screen and how far it is. */

import { Alert, Button, Code, CopyButton, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { makeWallToken } from '../api/commands'
import { Icon } from '../components/Icon'
import { Worded } from '../components/Worded'
import { USUAL_SCREEN, type WallScreen, wallAddress } from '../lib/wallScreen'

export function WallAddress() {
  const make = useMutation({ mutationFn: makeWallToken })
  const [screen, setScreen] = useState<WallScreen>({ screen_in: '', distance_m: '' })
  const address = wallAddress(location.origin, make.data?.token ?? '', screen)
  const sizes = <ScreenSize screen={screen} onChange={setScreen} isWrong={address === null} />
  if (make.data === undefined) {
    return (
      <Stack gap={6}>
        {sizes}
        <Button
          variant="default"
          leftSection={<Icon name="wall" />}
          loading={make.isPending}
          onClick={() => make.mutate()}
        >
          New address for wall screens
        </Button>
        <span className="faint">It may only read. The address before it stops working.</span>
        {make.error && (
          <Alert color="red" variant="outline" icon={<Icon name="warning" />} title="No address was made">
            <Worded>{make.error.message}</Worded>
          </Alert>
        )}
      </Stack>
    )
  }
  return (
    <Stack gap={6}>
      {sizes}
      {address !== null && (
        <>
          <span>
            Open this once on the screen; <strong>it is shown only now</strong>.
          </span>
          <Code block>{address}</Code>
          <CopyButton value={address}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy} leftSection={<Icon name={copied ? 'check' : 'copy'} />}>
                {copied ? 'Copied' : 'Copy the address'}
              </Button>
            )}
          </CopyButton>
        </>
      )}
    </Stack>
  )
}

interface ScreenSizeProps {
  screen: WallScreen
  onChange: (screen: WallScreen) => void
  isWrong: boolean
}

function ScreenSize({ screen, onChange, isWrong }: ScreenSizeProps) {
  const field = (name: keyof WallScreen, label: string) => (
    <TextInput
      label={label}
      placeholder={USUAL_SCREEN[name]}
      inputMode="decimal"
      value={screen[name]}
      onChange={(event) => onChange({ ...screen, [name]: event.currentTarget.value })}
    />
  )
  return (
    <>
      <Group gap={8} grow>
        {field('screen_in', 'Wall screen, inches')}
        {field('distance_m', 'Read from, m')}
      </Group>
      {isWrong && (
        <span className="faint" role="alert">
          Both are numbers above 0, such as 55 and 4.
        </span>
      )}
    </>
  )
}
