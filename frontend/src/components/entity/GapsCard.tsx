/** What is missing in the window and why, and what happened in it. */

import { useMemo } from 'react'
import type { GapOut, Series } from '../../api/types'
import { usePreferences } from '../../lib/preferences'
import { streamName } from '../../lib/text'
import { formatInstant, formatSeconds, formatWindow } from '../../lib/time'
import { Card } from '../Card'
import { EntityLink } from '../EntityLink'
import { Name } from '../Name'
import { StateMark } from '../StateMark'
import { type Column, VirtualTable } from '../table/VirtualTable'

export function GapsCard({ series }: { series: Series }) {
  return (
    <>
      {series.gaps.length > 0 && (
        <Card title="Gaps" hint="Intervals in which nothing was measured, and why" flush>
          <GapsTable gaps={series.gaps} />
        </Card>
      )}
      {series.events.length > 0 && (
        <Card title="Events" hint="Dashed lines in the chart" flush>
          <EventsTable events={series.events} />
        </Card>
      )}
    </>
  )
}

export function GapsTable({ gaps }: { gaps: readonly GapOut[] }) {
  const { zone } = usePreferences()
  const columns = useMemo<Column<GapOut>[]>(
    () => [
      {
        id: 'when',
        header: 'When',
        width: 250,
        cell: (gap) => (
          <span className="numeric">{formatWindow(Date.parse(gap.from_at), Date.parse(gap.to_at), zone)}</span>
        ),
      },
      {
        id: 'length',
        header: 'Length',
        width: 110,
        align: 'right',
        cell: (gap) => (
          <span className="numeric">{formatSeconds((Date.parse(gap.to_at) - Date.parse(gap.from_at)) / 1000)}</span>
        ),
      },
      { id: 'source', header: 'Source', width: 150, cell: (gap) => <Name focusable>{gap.source.name}</Name> },
      { id: 'stream', header: 'Stream', width: 130, from: 1200, cell: (gap) => streamName(gap.stream) },
      {
        id: 'subject',
        header: 'Of',
        width: 140,
        from: 1200,
        cell: (gap) => (gap.subject === null ? 'everything' : <Name focusable>{gap.subject}</Name>),
      },
      { id: 'reason', header: 'Reason', width: 240, grow: true, cell: (gap) => <Name focusable>{gap.reason}</Name> },
      {
        id: 'state',
        header: 'State',
        width: 180,
        cell: (gap) =>
          gap.state === 'explained' ? (
            <StateMark tone="calm" word="explained" />
          ) : (
            <StateMark tone="warn" word="will be read again" />
          ),
      },
    ],
    [zone],
  )
  return <VirtualTable label="Gaps" columns={columns} count={gaps.length} rowAt={(index) => gaps[index]} />
}

function EventsTable({ events }: { events: Series['events'] }) {
  const { zone } = usePreferences()
  const columns = useMemo<Column<Series['events'][number]>[]>(
    () => [
      {
        id: 'at',
        header: 'When',
        width: 230,
        cell: (event) => <span className="numeric">{formatInstant(Date.parse(event.at), zone)}</span>,
      },
      { id: 'kind', header: 'Kind', width: 140, cell: (event) => streamName(event.kind) },
      {
        id: 'text',
        header: 'What happened',
        width: 240,
        grow: true,
        cell: (event) => <Name focusable>{event.text}</Name>,
      },
      { id: 'subject', header: 'To', width: 180, cell: (event) => event.subject && <EntityLink to={event.subject} /> },
    ],
    [zone],
  )
  return <VirtualTable label="Events" columns={columns} count={events.length} rowAt={(index) => events[index]} />
}
