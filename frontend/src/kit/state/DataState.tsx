/** The four states of every piece of data: loading, error, empty, data. */

import { Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useState } from 'react'
import * as errorsCopy from '../../copy/errors'
import { ApiError, isAway, isMissing } from '../../lib/errors'
import { useOutage } from '../../lib/outage'
import { usePreferences } from '../../lib/preferences'
import { formatAge, formatClock, zoneName } from '../../lib/time'
import { useNow } from '../../lib/useNow'
import { Icon } from '../mark/Icon'
import { Worded } from '../text/Worded'
import styles from './DataState.module.css'

export interface EmptyText {
  title: string
  /** Why there is nothing, and what to do about it. */
  text: ReactNode
  action?: ReactNode
}

type Query<Data> = Pick<
  UseQueryResult<Data>,
  'data' | 'error' | 'isFetching' | 'refetch' | 'dataUpdatedAt' | 'errorUpdatedAt' | 'errorUpdateCount' | 'isPending'
>

interface DataStateProps<Data> {
  query: Query<Data>
  /** Placeholder of the same size as the data. */
  skeleton: ReactNode
  empty?: (data: Data) => EmptyText | null
  children: (data: Data) => ReactNode
  /** What to do where the thing itself is not there any more. */
  gone?: ReactNode
  /** It is all the page has to say. */
  heading?: boolean
  /** It is all below the page's heading. */
  whole?: boolean
}

/**
 * Shows `query` in the state it is in. Old data stays on screen while new data cannot be had, with a line that says so; where all
 * of Gavel is away the page says so once, and its parts are quiet.
 */
export function DataState<Data>({
  query,
  skeleton,
  empty,
  children,
  gone,
  heading = false,
  whole = heading,
}: DataStateProps<Data>) {
  const trouble = useTrouble(query)
  const isPageAway = useOutage() !== null
  // An answer is drawn in pieces, and after what the reader does meanwhile.
  const late = useDeferredValue(query.data)
  const data = query.data === undefined ? undefined : late
  if (data === undefined) {
    if (trouble === null) return <div aria-busy="true">{skeleton}</div>
    const isTold = isPageAway && isAway(trouble.error)
    // Parts of a page are quiet then; what is all of a page says why there and lets one try.
    if (isTold && !whole) return <p className={`${styles.away} quiet`}>{whatFailed(trouble.error)}</p>
    return <ErrorState query={query} trouble={trouble} gone={gone} heading={heading} isTold={isTold} />
  }
  const emptyText = empty?.(data) ?? null
  const own = query.error !== null && !(isPageAway && isAway(query.error)) ? query.error : null
  return (
    // Of one piece, so that the note stays with what it is about; without a note the data stand in the page's own order.
    <div className={own ? `${styles.noted} column narrow` : 'unboxed'}>
      {own && <StaleNote query={query} error={own} />}
      {emptyText ? <EmptyState {...emptyText} /> : children(data)}
    </div>
  )
}

interface Trouble {
  error: Error
  since_ms: number
}

/**
 * What went wrong and since when, until data comes. A query without data forgets its error while it tries again; what the page
 * says must not flicker with every try.
 */
function useTrouble(query: Query<unknown>): Trouble | null {
  const [kept, keep] = useState<Trouble | null>(null)
  const trouble = troubleAfter(kept, query)
  if (trouble !== kept) keep(trouble)
  return trouble
}

function troubleAfter(before: Trouble | null, { data, error, errorUpdateCount, errorUpdatedAt }: Query<unknown>) {
  if (data !== undefined || errorUpdateCount === 0) return null
  if (error === null || before?.error === error) return before
  return { error, since_ms: before?.since_ms ?? errorUpdatedAt }
}

/** What is missing is named by the answer itself: "There is no datastore 7". */
function whatFailed(error: Error): string {
  return isMissing(error) ? error.message : notLoaded(error)
}

function notLoaded(error: Error): string {
  return error instanceof ApiError ? errorsCopy.loadFailed(error.what) : errorsCopy.sectionFailed
}

interface ErrorStateProps {
  query: Query<unknown>
  trouble: Trouble
  gone: ReactNode
  heading: boolean
  /** The page has been told of it already: it is not announced once more. */
  isTold: boolean
}

function ErrorState({ query, trouble, gone, heading, isTold }: ErrorStateProps) {
  const { zone } = usePreferences()
  const now = useNow()
  const { error, since_ms } = trouble
  const isGone = isMissing(error)
  const Title = heading ? 'h1' : 'p'
  // Gavel tries again by itself, too: the button is busy only with what it was asked for.
  const [isAsked, setAsked] = useState(false)
  const tryNow = async () => {
    setAsked(true)
    await query.refetch()
    setAsked(false)
  }
  return (
    <div className={`${styles.state} column middle grow gap-8`} role={isTold ? undefined : 'alert'}>
      <span data-tone="bad">
        <Icon name="warning" size={24} />
      </span>
      <Title className="title">{whatFailed(error)}</Title>
      {!isGone && (
        <p className="reading-width muted breaks">
          <Worded>{error.message}</Worded>
        </p>
      )}
      {isGone ? (
        <div className="reading-width muted breaks">{gone ?? errorsCopy.removedAtSource}</div>
      ) : (
        <>
          <p className="reading-width muted breaks tabular">
            {errorsCopy.failingLastTried(
              `${formatClock(since_ms, zone, true)} ${zoneName(zone, since_ms)}`,
              formatAge(Math.max(1000, now - query.errorUpdatedAt)),
            )}
          </p>
          <Button variant="default" size="xs" loading={isAsked} onClick={() => void tryNow()}>
            {errorsCopy.retryNow}
          </Button>
        </>
      )}
    </div>
  )
}

function StaleNote({ query, error }: { query: Query<unknown>; error: Error }) {
  const { zone } = usePreferences()
  return (
    <div className="note flex start gap-10 size-label" style={{ marginBottom: 10 }} data-tone="warn" role="status">
      <Icon name="warning" />
      <span>
        {errorsCopy.staleSince(
          notLoaded(error),
          `${formatClock(query.dataUpdatedAt, zone, true)} ${zoneName(zone, query.dataUpdatedAt)}`,
        )}{' '}
        <Worded>{error.message}</Worded> {errorsCopy.showingStale}
      </span>
    </div>
  )
}

/** `heading`: this is all the page has to say. */
export function EmptyState({ title, text, action, heading = false }: EmptyText & { heading?: boolean }) {
  const Title = heading ? 'h1' : 'p'
  return (
    <div className={`${styles.state} column middle grow gap-8`}>
      <Title className="title">{title}</Title>
      <div className="reading-width muted breaks">{text}</div>
      {action}
    </div>
  )
}
