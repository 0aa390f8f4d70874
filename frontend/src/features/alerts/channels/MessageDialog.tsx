/** One message with every attempt to deliver it: what was asked, with secrets masked, and what came of it. */

import { Button, Code, Group, Modal, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { replayNotification } from '../../../api/alertCommands'
import { notificationQuery } from '../../../api/alerts'
import { useSession } from '../../../api/session'
import type { NotificationDetail } from '../../../api/types'
import * as alertsCopy from '../../../copy/alerts'
import * as channelsCopy from '../../../copy/channels'
import * as commonCopy from '../../../copy/common'
import { StateMark } from '../../../kit/mark/StateMark'
import { DataState } from '../../../kit/state/DataState'
import { Failure } from '../../../kit/state/Failure'
import { Name } from '../../../kit/text/Name'
import { usePreferences } from '../../../lib/preferences'
import { visibleName } from '../../../lib/text'
import { formatInstant, formatSeconds } from '../../../lib/time'
import { useAlertCommand } from '../useAlertCommand'
import own from './Channels.module.css'
import { resultMark, sentMark } from './words'

export function MessageDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const query = useQuery(notificationQuery(id))
  return (
    <Modal
      opened
      onClose={onClose}
      title={channelsCopy.notification}
      size="xl"
      closeButtonProps={{ 'aria-label': commonCopy.close }}
    >
      <DataState query={query} skeleton={<Skeleton height={320} />}>
        {(message) => <Message message={message} onClose={onClose} />}
      </DataState>
    </Modal>
  )
}

function Message({ message, onClose }: { message: NotificationDetail; onClose: () => void }) {
  const { isAdmin } = useSession()
  const { zone } = usePreferences()
  const replay = useAlertCommand(() => replayNotification(message.id))
  const [first] = message.alert_ids
  return (
    <Stack gap="md">
      <div>
        <p className="title">
          <Name whole>{message.headline}</Name>
        </p>
        <p className="breaks">{visibleName(message.sentence)}</p>
      </div>
      <p className="row wrap gap-wrap">
        <StateMark {...sentMark(message.state)} />
        <span className="muted">
          <Name whole>{channelsCopy.onChannel(message.channel_name)}</Name>
        </span>
        {message.next_at !== null && (
          <span className="muted">
            {channelsCopy.nextAttempt} {formatInstant(Date.parse(message.next_at), zone)}
          </span>
        )}
        {first !== undefined && (
          <Link to={`/alerts/${first}` as string} onClick={onClose}>
            {channelsCopy.openAlert}
          </Link>
        )}
      </p>
      <p className="muted">
        {channelsCopy.eventId} <Code>{message.event_id}</Code>
        {channelsCopy.eventIdHint}
      </p>
      {message.state === 'dead' && isAdmin && (
        <Button size="xs" w="fit-content" loading={replay.isPending} onClick={() => replay.mutate()}>
          {channelsCopy.resend}
        </Button>
      )}
      <Failure title={channelsCopy.resendFailed} error={replay.error} />
      <Attempts message={message} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {commonCopy.close}
        </Button>
      </Group>
    </Stack>
  )
}

function Attempts({ message }: { message: NotificationDetail }) {
  const { zone } = usePreferences()
  if (message.log.length === 0) return <p className="muted">{channelsCopy.noAttempts}</p>
  return (
    <ol className="list" aria-label={alertsCopy.attempts}>
      {message.log.map((attempt) => (
        <li key={attempt.id} className={`${own.attempt} stack ruled gap-4`}>
          <p className="row wrap gap-wrap">
            <StateMark {...resultMark(attempt.result)} />
            <span className="numeric muted">
              {formatInstant(Date.parse(attempt.started_at), zone)}
              {channelsCopy.after} {formatSeconds(attempt.duration_s)}
              {attempt.status === null ? '' : channelsCopy.statusSuffix(attempt.status)}
            </span>
          </p>
          <p className="breaks">{visibleName(attempt.detail)}</p>
          <details>
            <summary>{channelsCopy.request}</summary>
            <Code block className="verbatim" mt={6} mah={320}>
              {attempt.request}
            </Code>
          </details>
        </li>
      ))}
    </ol>
  )
}
