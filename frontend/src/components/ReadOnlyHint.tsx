import { Button } from '@mantine/core'
import { useSession } from '../api/session'
import { Icon } from './Icon'
import styles from './ReadOnlyHint.module.css'

/** For those who may only look: how to get to do something. `todo`: "add or change sources". */
export function ReadOnlyHint({ todo }: { todo: string }) {
  const { isAdmin, known, setupPending, openDialog } = useSession()
  if (!known || isAdmin) return null
  return (
    <div className={styles.hint}>
      <Icon name="lock" />
      {setupPending
        ? `You may look at everything. To ${todo}, open the address with the setup token that the first start printed.`
        : `You may look at everything. To ${todo}, sign in with the admin token.`}
      <Button size="xs" variant="default" onClick={openDialog}>
        Sign in
      </Button>
    </div>
  )
}
