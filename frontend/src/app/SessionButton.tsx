import { Button, Tooltip } from '@mantine/core'
import { useSession, useSignOut } from '../api/session'
import { Icon } from '../components/Icon'

/** Says whether changes are allowed, and is the way in and out. */
export function SessionButton() {
  const { isAdmin, known, openDialog } = useSession()
  const signOut = useSignOut()
  if (!known) return null
  const words = isAdmin
    ? 'You may change sources. Click to sign out.'
    : 'You may look at everything. Changing needs the admin token.'
  return (
    <Tooltip label={words} events={{ hover: true, focus: true, touch: false }}>
      <Button
        variant="default"
        size="sm"
        px={10}
        loading={signOut.isPending}
        leftSection={isAdmin ? undefined : <Icon name="lock" size={14} />}
        onClick={() => (isAdmin ? signOut.mutate() : openDialog())}
      >
        {isAdmin ? 'Sign out' : 'Sign in'}
      </Button>
    </Tooltip>
  )
}
