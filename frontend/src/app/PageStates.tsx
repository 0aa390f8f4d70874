/** What stands in a page's place while it loads, when it fails, and when there is no such page. */

import { Button, Skeleton, Stack } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { EmptyState } from '../components/DataState'
import { HOME } from './pages'

export function PagePending() {
  return (
    <Stack gap="md" aria-busy="true">
      <Skeleton height={32} width={220} />
      <Skeleton height={480} />
    </Stack>
  )
}

export function PageMissing() {
  return (
    <EmptyState
      heading
      title="There is no such page"
      text="The address may be mistyped, or the page belongs to another version of Gavel."
      action={
        <Button component={Link} to={HOME} variant="default">
          Go to the overview
        </Button>
      }
    />
  )
}

export function PageFailed({ error, reset }: ErrorComponentProps) {
  const message = error instanceof Error ? error.message : String(error)
  const isStalePage = /dynamically imported module|module script|preload CSS/i.test(message)
  const text = isStalePage
    ? 'Gavel was updated while this page was open. Load it again to get the new version.'
    : message
  const again = isStalePage ? () => location.reload() : reset
  return (
    <EmptyState
      heading
      title="This page failed"
      text={text}
      action={
        <Button variant="default" onClick={again}>
          Load again
        </Button>
      }
    />
  )
}
