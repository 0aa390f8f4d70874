/** What stands in a page's place while it loads, when it fails, and when there is no such page. */

import { Button, Skeleton, Stack } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import * as errorsCopy from '../copy/errors'
import { EmptyState } from '../kit/state/DataState'
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
      title={errorsCopy.pageNotFound}
      text={errorsCopy.pageNotFoundText}
      action={
        <Button component={Link} to={HOME} variant="default">
          {errorsCopy.openOverview}
        </Button>
      }
    />
  )
}

export function PageFailed({ error, reset }: ErrorComponentProps) {
  const message = error instanceof Error ? error.message : String(error)
  const isStalePage = /dynamically imported module|module script|preload CSS/i.test(message)
  const text = isStalePage ? errorsCopy.updated : message
  const again = isStalePage ? () => location.reload() : reset
  return (
    <EmptyState
      heading
      title={errorsCopy.pageFailed}
      text={text}
      action={
        <Button variant="default" onClick={again}>
          {errorsCopy.reload}
        </Button>
      }
    />
  )
}
