/** Makes the address that a wall screen opens once, where even reading needs a token; its letters fit the screen and how far it is. */

import { Alert, Button, Code, CopyButton, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { makeWallToken } from '../api/commands'
import * as commonCopy from '../copy/common'
import * as navigationCopy from '../copy/navigation'
import * as sessionCopy from '../copy/session'
import { Icon } from '../kit/mark/Icon'
import { Worded } from '../kit/text/Worded'
import { BASE_PATH } from '../lib/base'
import { USUAL_SCREEN, type WallScreen, wallAddress } from '../lib/wallScreen'

export function WallAddress() {
  const make = useMutation({ mutationFn: makeWallToken })
  const [screen, setScreen] = useState<WallScreen>({ screen_in: '', distance_m: '' })
  const address = wallAddress(location.origin + BASE_PATH, make.data?.token ?? '', screen)
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
          {navigationCopy.generateWallLink}
        </Button>
        <span className="faint">{navigationCopy.wallLinkHint}</span>
        {make.error && (
          <Alert color="red" variant="outline" icon={<Icon name="warning" />} title={navigationCopy.wallLinkFailed}>
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
            {navigationCopy.openOnce} <strong>{sessionCopy.shownOnce}</strong>.
          </span>
          <Code block>{address}</Code>
          <CopyButton value={address}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy} leftSection={<Icon name={copied ? 'check' : 'copy'} />}>
                {copied ? commonCopy.copied : navigationCopy.copyLink}
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
        {field('screen_in', navigationCopy.screenSize)}
        {field('distance_m', navigationCopy.viewingDistance)}
      </Group>
      {isWrong && (
        <span className="faint" role="alert">
          {navigationCopy.screenNumbers}
        </span>
      )}
    </>
  )
}
