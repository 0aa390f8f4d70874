import { Link } from '@tanstack/react-router'
import type { AlertMessage } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import * as gapsCopy from '../../copy/gaps'
import * as navigationCopy from '../../copy/navigation'
import { alertStateWord } from '../../domain/alerts/words'
import { Card } from '../../kit/layout/Card'
import { StateMark } from '../../kit/mark/StateMark'
import { EmptyState } from '../../kit/state/DataState'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatInstant } from '../../lib/time'
import { fateOf } from './story'

/** Who was told of it, and whether it arrived. */
export function DeliveriesCard({ messages }: { messages: readonly AlertMessage[] }) {
  return (
    <Card title={alertsCopy.deliveries} flush>
      {messages.length === 0 ? (
        <EmptyState
          title={alertsCopy.noneSent}
          text={
            <>
              {alertsCopy.noneSentText} <Link to={'/alerts/channels' as string}>{navigationCopy.channels}</Link>{' '}
              {alertsCopy.channelsRoute}
            </>
          }
        />
      ) : (
        <DeliveriesTable messages={messages} />
      )}
    </Card>
  )
}

const COLUMNS: readonly Column<AlertMessage>[] = [
  {
    id: 'channel',
    header: alertsCopy.channel,
    width: 170,
    cell: ({ channel_name }) => <Name whole>{channel_name}</Name>,
  },
  { id: 'event', header: alertsCopy.event, width: 110, cell: ({ status }) => alertStateWord(status) },
  {
    id: 'delivery',
    header: alertsCopy.delivery,
    width: 140,
    compact: 'bare',
    cell: ({ state }) => <StateMark tone={fateOf(state).tone} word={fateOf(state).words} />,
  },
  { id: 'when', header: gapsCopy.when, width: 236, compact: 'bare', cell: (message) => <When message={message} /> },
  {
    id: 'attempts',
    header: alertsCopy.attempts,
    width: 96,
    align: 'right',
    compact: ({ attempts }) => plural(attempts, alertsCopy.attempt),
    cell: ({ attempts }) => <span className="numeric">{attempts}</span>,
  },
  {
    id: 'response',
    header: alertsCopy.response,
    width: 300,
    grow: true,
    compact: ({ detail }) => detail !== null && <Name whole>{detail}</Name>,
    cell: ({ detail }) => detail !== null && <Name whole>{detail}</Name>,
  },
]

/** Rows are as high as their words need: an answer says what to do, and is read whole. */
function DeliveriesTable({ messages }: { messages: readonly AlertMessage[] }) {
  return (
    <VirtualTable
      label={alertsCopy.deliveries}
      columns={COLUMNS}
      count={messages.length}
      rowAt={(index) => messages[index]}
      rowKey={({ id }) => String(id)}
      wraps
      whole
    />
  )
}

/** When its fate was known; of one that is still under way, when it was made. */
function When({ message: { finished_at, created_at } }: { message: AlertMessage }) {
  const { zone } = usePreferences()
  return <span className="numeric">{formatInstant(Date.parse(finished_at ?? created_at), zone)}</span>
}
