import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { AlertMessage } from '../../api/types'
import { alertStateWord } from '../../components/alerts/words'
import { Card } from '../../components/Card'
import { EmptyState } from '../../components/DataState'
import { Name } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import { type Column, VirtualTable } from '../../components/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { formatInstant, type Zone } from '../../lib/time'
import { fateOf } from './story'

/** Who was told of it, and whether it arrived. */
export function DeliveriesCard({ messages }: { messages: readonly AlertMessage[] }) {
  const { zone } = usePreferences()
  const columns = useMemo(() => columnsIn(zone), [zone])
  return (
    <Card title="Deliveries" flush>
      {messages.length === 0 ? (
        <EmptyState
          title="Nobody was told"
          text={
            <>
              No channel takes alerts like this, it is quiet, or it has not fired.{' '}
              <Link to={'/alerts/channels' as string}>Channels</Link> say what goes where.
            </>
          }
        />
      ) : (
        <VirtualTable
          label="Deliveries"
          columns={columns}
          count={messages.length}
          rowAt={(index) => messages[index]}
          rowKey={(message) => String(message.id)}
        />
      )}
    </Card>
  )
}

const columnsIn = (zone: Zone): Column<AlertMessage>[] => [
  {
    id: 'channel',
    header: 'Channel',
    width: 180,
    narrow: 140,
    cell: (one) => <Name focusable>{one.channel_name}</Name>,
  },
  { id: 'status', header: 'About', width: 116, cell: (one) => alertStateWord(one.status) },
  {
    id: 'state',
    header: 'Delivery',
    width: 235,
    cell: ({ state }) => <StateMark tone={fateOf(state).tone} word={fateOf(state).words} />,
  },
  {
    id: 'at',
    header: 'When',
    width: 210,
    cell: (one) => (
      <span className="numeric">{formatInstant(Date.parse(one.finished_at ?? one.created_at), zone)}</span>
    ),
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: 88,
    align: 'right',
    cell: ({ attempts }) => <span className="numeric">{attempts}</span>,
  },
  {
    id: 'detail',
    header: 'Answer',
    width: 200,
    grow: true,
    cell: ({ detail }) => detail && <Name focusable>{detail}</Name>,
  },
]
