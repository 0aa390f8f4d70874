import { Alert, Button, Stack } from '@mantine/core'
import { useSignOutEverywhere } from '../api/session'
import * as sessionCopy from '../copy/session'
import { Icon } from '../kit/mark/Icon'
import { Worded } from '../kit/text/Worded'

/** For a browser that was left signed in somewhere, or a session that was stolen. */
export function SignOutEverywhere() {
  const signOut = useSignOutEverywhere()
  return (
    <Stack gap={6}>
      <Button
        variant="default"
        leftSection={<Icon name="lock" />}
        loading={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        {sessionCopy.signOutEverywhere}
      </Button>
      <span className="faint">{sessionCopy.signOutEverywhereText}</span>
      {signOut.error && (
        <Alert color="red" variant="outline" icon={<Icon name="warning" />} title={sessionCopy.signOutFailed}>
          <Worded>{signOut.error.message}</Worded>
        </Alert>
      )}
    </Stack>
  )
}
