import { Button } from '@mantine/core'
import { useSession } from '../../api/session'
import * as sessionCopy from '../../copy/session'
import { Icon } from '../../kit/mark/Icon'

/** For those who may only look: how to get to do something. `todo`: "add or change sources". */
export function ReadOnlyHint({ todo }: { todo: string }) {
  const { isAdmin, known, setupPending, openDialog } = useSession()
  if (!known || isAdmin) return null
  return (
    <div className="note row wrap gap-wrap">
      <Icon name="lock" />
      {setupPending ? sessionCopy.readOnlySetup(todo) : sessionCopy.readOnly(todo)}
      <Button size="xs" variant="default" onClick={openDialog}>
        {sessionCopy.signIn}
      </Button>
    </div>
  )
}
