import { Link } from '@tanstack/react-router'
import type { AlertMessage } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import * as gapsCopy from '../../copy/gaps'
import * as navigationCopy from '../../copy/navigation'
import { alertStateWord } from '../../domain/alerts/words'
import { Card } from '../../kit/layout/Card'
import { StateMark } from '../../kit/mark/StateMark'
import { EmptyState } from '../../kit/state/DataState'
import { Name } from '../../kit/text/Name'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatInstant } from '../../lib/time'
import styles from './DeliveriesCard.module.css'
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

const COLUMNS = [
  alertsCopy.channel,
  alertsCopy.event,
  alertsCopy.delivery,
  gapsCopy.when,
  alertsCopy.attempts,
  alertsCopy.response,
]

/** Rows are as high as their words need: an answer says what to do, and is read whole. */
function DeliveriesTable({ messages }: { messages: readonly AlertMessage[] }) {
  const isWide = useMediaMatch('(min-width: 700px)')
  const heads = isWide ? COLUMNS : [alertsCopy.delivery]
  const Row = isWide ? WideRow : PhoneRow
  return (
    <table className={`${styles.table} lines flush`} aria-label={alertsCopy.deliveries}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {messages.map((message) => (
          <Row key={message.id} message={message} />
        ))}
      </tbody>
    </table>
  )
}

function WideRow({ message }: { message: AlertMessage }) {
  const { channel_name, status, state, attempts, detail } = message
  return (
    <tr>
      <td className={styles.channel}>
        <Name whole>{channel_name}</Name>
      </td>
      <td>{alertStateWord(status)}</td>
      <td>
        <StateMark tone={fateOf(state).tone} word={fateOf(state).words} />
      </td>
      <td className="numeric">
        <When message={message} />
      </td>
      <td className="numeric">{attempts}</td>
      <td className={styles.answer}>{detail !== null && <Name whole>{detail}</Name>}</td>
    </tr>
  )
}

/** All of it in one column, in the order of what decides. */
function PhoneRow({ message }: { message: AlertMessage }) {
  const { channel_name, status, state, attempts, detail } = message
  return (
    <tr>
      <td>
        <div className={`${styles.head} flex baseline between medium gap-8`}>
          <Name whole>{channel_name}</Name>
          <StateMark tone={fateOf(state).tone} word={fateOf(state).words} />
        </div>
        <div className={`${styles.line} quiet tabular`}>
          {alertsCopy.event} {alertStateWord(status)}, <When message={message} />
        </div>
        <div className={`${styles.line} quiet tabular`}>
          <Name whole>{`${plural(attempts, alertsCopy.attempt)}${detail === null ? '' : `: ${detail}`}`}</Name>
        </div>
      </td>
    </tr>
  )
}

/** When its fate was known; of one that is still under way, when it was made. */
function When({ message: { finished_at, created_at } }: { message: AlertMessage }) {
  const { zone } = usePreferences()
  return formatInstant(Date.parse(finished_at ?? created_at), zone)
}
