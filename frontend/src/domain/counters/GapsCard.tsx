/** What is missing in the window and why, and what happened in it. */

import { type ReactNode, useMemo } from 'react'
import type { AlertOut, GapOut, Happened } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as gapsCopy from '../../copy/gaps'
import * as sectionsCopy from '../../copy/sections'
import { Card } from '../../kit/layout/Card'
import { StateMark } from '../../kit/mark/StateMark'
import { EmptyState } from '../../kit/state/DataState'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name, NameLink } from '../../kit/text/Name'
import { usePreferences } from '../../lib/preferences'
import { streamName } from '../../lib/text'
import { formatInstant, formatSeconds, formatWindow } from '../../lib/time'
import { eventsOfAlerts } from '../alerts/standing'
import { EntityLink } from '../object/EntityLink'

interface EventsCardProps {
  happened: Happened
  alerts: readonly AlertOut[]
}

export function EventsCard({ happened, alerts }: EventsCardProps) {
  const events = useMemo(() => eventsIn(happened, alerts), [happened, alerts])
  return (
    <Card title={gapsCopy.events} hint={gapsCopy.eventsHint} flush>
      {events.length > 0 ? (
        <EventsTable events={events} />
      ) : (
        <EmptyState title={sectionsCopy.noEvents} text={sectionsCopy.noEventsText} />
      )}
    </Card>
  )
}

export function GapsTable({ gaps }: { gaps: readonly GapOut[] }) {
  const { zone } = usePreferences()
  const columns = useMemo<Column<GapOut>[]>(
    () => [
      {
        id: 'when',
        header: gapsCopy.when,
        width: 250,
        cell: (gap) => (
          <span className="numeric">{formatWindow(Date.parse(gap.from_at), Date.parse(gap.to_at), zone)}</span>
        ),
      },
      {
        id: 'length',
        header: gapsCopy.length,
        width: 110,
        align: 'right',
        cell: (gap) => (
          <span className="numeric">{formatSeconds((Date.parse(gap.to_at) - Date.parse(gap.from_at)) / 1000)}</span>
        ),
      },
      {
        id: 'source',
        header: commonCopy.source,
        width: 150,
        cell: (gap) => <Name focusable>{gap.source.name}</Name>,
      },
      { id: 'stream', header: gapsCopy.stream, width: 130, priority: 3, cell: (gap) => streamName(gap.stream) },
      {
        id: 'subject',
        header: commonCopy.object,
        width: 140,
        priority: 3,
        cell: (gap) => (gap.subject === null ? gapsCopy.wholeSource : <Name focusable>{gap.subject}</Name>),
      },
      {
        id: 'reason',
        header: gapsCopy.reason,
        width: 240,
        grow: true,
        compact: (gap) => <Name whole>{gap.reason}</Name>,
        cell: (gap) => <Name focusable>{gap.reason}</Name>,
      },
      {
        id: 'state',
        header: commonCopy.state,
        width: 180,
        compact: 'bare',
        cell: (gap) =>
          gap.state === 'explained' ? (
            <StateMark tone="calm" word={gapsCopy.explained} />
          ) : (
            <StateMark tone="warn" word={gapsCopy.backfillPending} />
          ),
      },
    ],
    [zone],
  )
  return <VirtualTable label={gapsCopy.title} columns={columns} count={gaps.length} rowAt={(index) => gaps[index]} />
}

interface TimedEvent {
  at_ms: number
  kind: string
  text: string
  /** Where it can be read in full. */
  to: ReactNode | null
}

/** What the sources told of, and the alerts that fired or ended in the window, oldest first. */
function eventsIn({ events, from_at, to_at }: Happened, alerts: readonly AlertOut[]): TimedEvent[] {
  const [from_ms, to_ms] = [Date.parse(from_at), Date.parse(to_at)]
  const told = events.map(
    ({ at, label, text, subject }): TimedEvent => ({
      at_ms: Date.parse(at),
      kind: label,
      text,
      to: subject && <EntityLink to={subject} />,
    }),
  )
  const alerted = alerts.flatMap((alert) =>
    eventsOfAlerts([alert]).map(
      ({ at_ms, text }): TimedEvent => ({
        at_ms,
        kind: gapsCopy.alert,
        text,
        to: <NameLink to={`/alerts/${alert.id}`}>{alert.rule_name}</NameLink>,
      }),
    ),
  )
  return [...told, ...alerted.filter(({ at_ms }) => at_ms >= from_ms && at_ms < to_ms)].sort(
    (a, b) => a.at_ms - b.at_ms,
  )
}

function EventsTable({ events }: { events: readonly TimedEvent[] }) {
  const { zone } = usePreferences()
  const hasLinks = events.some(({ to }) => to !== null)
  const columns = useMemo<Column<TimedEvent>[]>(
    () => [
      {
        id: 'at',
        header: gapsCopy.when,
        width: 230,
        cell: (event) => <span className="numeric">{formatInstant(event.at_ms, zone)}</span>,
      },
      { id: 'kind', header: commonCopy.type, width: 140, compact: 'bare', cell: (event) => event.kind },
      {
        id: 'text',
        header: gapsCopy.event,
        width: 240,
        grow: true,
        compact: (event) => <Name whole>{event.text}</Name>,
        cell: (event) => <Name focusable>{event.text}</Name>,
      },
      ...(hasLinks
        ? [
            {
              id: 'subject',
              header: gapsCopy.link,
              width: 180,
              compact: 'bare' as const,
              cell: ({ to }: TimedEvent) => to,
            },
          ]
        : []),
    ],
    [zone, hasLinks],
  )
  return (
    <VirtualTable label={gapsCopy.events} columns={columns} count={events.length} rowAt={(index) => events[index]} />
  )
}
