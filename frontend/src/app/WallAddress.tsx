/** Makes the address that a wall screen opens once, where even reading needs a token. */

import { Alert, Button, Code, CopyButton, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { makeWallToken } from '../api/commands'
import { Icon } from '../components/Icon'
import { Worded } from '../components/Worded'

export function WallAddress() {
  const make = useMutation({ mutationFn: makeWallToken })
  if (make.data === undefined) {
    return (
      <Stack gap={6}>
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
  const address = `${location.origin}/wall/estate#wall=${make.data.token}`
  return (
    <Stack gap={6}>
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
    </Stack>
  )
}
