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
import { plural } from '../../lib/text'
import { formatInstant, type Zone } from '../../lib/time'
import styles from './Alerts.module.css'
import { NarrowRow, narrowRowPx } from './NarrowRow'
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
              Nobody has been told of it so far: “Messages” in its details says why.{' '}
              <Link to={'/alerts/channels' as string}>Channels</Link> say what goes where.
            </>
          }
        />
      ) : (
        <div className={styles.wholeOnPhones}>
          <VirtualTable
            label="Deliveries"
            columns={columns}
            count={messages.length}
            rowAt={(index) => messages[index]}
            rowKey={(message) => String(message.id)}
            narrowRowPx={narrowRowPx(3, false)}
          />
        </div>
      )}
    </Card>
  )
}

const instantOf = (one: AlertMessage, zone: Zone) => formatInstant(Date.parse(one.finished_at ?? one.created_at), zone)

const columnsIn = (zone: Zone): Column<AlertMessage>[] => [
  {
    id: 'all',
    header: 'Delivery',
    width: 280,
    grow: true,
    narrowOnly: true,
    cell: (one) => (
      <NarrowRow
        head={
          <>
            <Name focusable>{one.channel_name}</Name>
            <StateMark tone={fateOf(one.state).tone} word={fateOf(one.state).words} />
          </>
        }
        lines={[
          `About ${alertStateWord(one.status)}, ${instantOf(one, zone)}`,
          [`${plural(one.attempts, 'attempt')}${one.detail === null ? '' : `: ${one.detail}`}`, 2],
        ]}
      />
    ),
  },
  {
    id: 'channel',
    header: 'Channel',
    width: 180,
    grow: true,
    from: 700,
    cell: (one) => <Name focusable>{one.channel_name}</Name>,
  },
  { id: 'status', header: 'About', width: 100, from: 700, cell: (one) => alertStateWord(one.status) },
  {
    id: 'state',
    header: 'Delivery',
    width: 235,
    from: 700,
    cell: ({ state }) => <StateMark tone={fateOf(state).tone} word={fateOf(state).words} />,
  },
  {
    id: 'at',
    header: 'When',
    width: 220,
    from: 700,
    cell: (one) => <span className="numeric">{instantOf(one, zone)}</span>,
  },
  {
    id: 'attempts',
    header: 'Attempts',
    width: 88,
    from: 700,
    align: 'right',
    cell: ({ attempts }) => <span className="numeric">{attempts}</span>,
  },
  {
    id: 'detail',
    header: 'Answer',
    width: 200,
    from: 700,
    grow: true,
    cell: ({ detail }) => detail && <Name focusable>{detail}</Name>,
  },
]
