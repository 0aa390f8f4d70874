import { Alert } from '@mantine/core'
import { Icon } from '../mark/Icon'
import { Worded } from '../text/Worded'

interface FailureProps {
  title: string
  error: Error | null
  /** With a margin of its own, between rows that reach from edge to edge. */
  inset?: boolean
}

/** Why something was not done, in the server's own words. */
export function Failure({ title, error, inset = false }: FailureProps) {
  if (error === null) return null
  return (
    <Alert color="red" variant="outline" icon={<Icon name="warning" />} title={title} m={inset ? 'md' : 0}>
      <span className="verbatim">
        <Worded>{error.message}</Worded>
      </span>
    </Alert>
  )
}
