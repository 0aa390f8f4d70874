import { Alert } from '@mantine/core'
import { Icon } from '../mark/Icon'
import { Worded } from '../text/Worded'

/** Why something was not done, in the server's own words. */
export function Failure({ title, error }: { title: string; error: Error | null }) {
  if (error === null) return null
  return (
    <Alert color="red" variant="outline" icon={<Icon name="warning" />} title={title}>
      <span className="verbatim">
        <Worded>{error.message}</Worded>
      </span>
    </Alert>
  )
}
