import { Button } from '@mantine/core'
import { useSession, useSignOut } from '../api/session'
import * as sessionCopy from '../copy/session'
import { Icon } from '../kit/mark/Icon'
import { OFFLINE } from '../lib/offline'

/** Says whether changes are allowed, and is the way in and out. */
export function SessionButton() {
  // Nothing can be changed in an offline environment, whoever signs in.
  return OFFLINE === null ? <InOrOut /> : null
}

function InOrOut() {
  const { isAdmin, known, openDialog } = useSession()
  const signOut = useSignOut()
  const words = isAdmin ? sessionCopy.adminHint : sessionCopy.readOnlyHint
  return (
    <Button
      variant="default"
      size="sm"
      px={10}
      data-tip={words}
      // Its room is there before it is known what it says: nothing beside it moves.
      style={known ? undefined : { visibility: 'hidden' }}
      loading={signOut.isPending}
      leftSection={isAdmin ? undefined : <Icon name="lock" size={14} />}
      onClick={() => (isAdmin ? signOut.mutate() : openDialog())}
    >
      {isAdmin ? sessionCopy.signOut : sessionCopy.signIn}
    </Button>
  )
}
