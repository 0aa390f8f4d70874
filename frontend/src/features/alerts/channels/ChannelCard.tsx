/** One channel: how it fares, what goes there, what could not be delivered. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { changeChannel, replayChannel, tryStoredChannel } from '../../../api/alertCommands'
import { notificationsQuery } from '../../../api/alerts'
import { useSession } from '../../../api/session'
import type { ChannelOut } from '../../../api/types'
import { Card } from '../../../components/Card'
import { Icon } from '../../../components/Icon'
import { Name } from '../../../components/Name'
import { StateMark } from '../../../components/StateMark'
import { usePreferences } from '../../../lib/preferences'
import { plural, visibleName } from '../../../lib/text'
import { formatInstant } from '../../../lib/time'
import styles from '../Alerts.module.css'
import { Failure } from '../Failure'
import { useAlertCommand } from '../useAlertCommand'
import own from './Channels.module.css'
import { TrialResult } from './TrialResult'
import { channelMark, routeWords } from './words'

interface ChannelCardProps {
  channel: ChannelOut
  kindTitle: string
  secondName: string | null
  onEdit: () => void
  onRemove: () => void
}

export function ChannelCard({ channel, kindTitle, secondName, onEdit, onRemove }: ChannelCardProps) {
  const { isAdmin } = useSession()
  const test = useAlertCommand(() => tryStoredChannel(channel.id))
  const actions = isAdmin && (
    <>
      <Button
        size="xs"
        variant="default"
        loading={test.isPending}
        onClick={() => test.mutate()}
        aria-label={`Test ${channel.name}`}
      >
        Test
      </Button>
      <Button size="xs" variant="default" onClick={onEdit} aria-label={`Change ${channel.name}`}>
        Change
      </Button>
      <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove ${channel.name}`}>
        Remove
      </Button>
    </>
  )
  return (
    <Card
      title={<Name whole>{channel.name}</Name>}
      hint={<StateMark {...channelMark(channel.state)} />}
      actions={actions || undefined}
    >
      <Trouble channel={channel} isAdmin={isAdmin} />
      <ChannelFacts channel={channel} kindTitle={kindTitle} secondName={secondName} />
      {test.data && <TrialResult trial={test.data} />}
      <Failure title="The test could not be run" error={test.error} />
    </Card>
  )
}

function ChannelFacts({
  channel,
  kindTitle,
  secondName,
}: Pick<ChannelCardProps, 'channel' | 'kindTitle' | 'secondName'>) {
  const { zone } = usePreferences()
  const { last_delivered_at, pending, dead } = channel
  const facts: [string, ReactNode][] = [
    ['Kind', kindTitle],
    [
      'Takes',
      <Name key="takes" whole>
        {routeWords(channel.route)}
      </Name>,
    ],
    ['Last delivered', last_delivered_at === null ? 'never' : formatInstant(Date.parse(last_delivered_at), zone)],
    ['Waiting', pending === 0 ? 'none' : plural(pending, 'message')],
    [
      'Not delivered',
      dead === 0 ? (
        'none'
      ) : (
        <Link
          key="dead"
          to={'/alerts/channels' as string}
          search={{ channel: String(channel.id), state: 'dead' } as never}
        >
          {plural(dead, 'message')}
        </Link>
      ),
    ],
    [
      'When it fails, told on',
      secondName === null ? (
        'no other channel'
      ) : (
        <Name key="second" whole>
          {secondName}
        </Name>
      ),
    ],
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What the receiver last answered, whole: nobody has to look for it in the log. */
function LastError({ channel }: { channel: ChannelOut }) {
  const { data, error } = useQuery(notificationsQuery({ channel: channel.id, state: null }, 0))
  if (data === undefined) return error === null ? null : ' The last answer could not be read.'
  const last = data.items.find(({ state, detail }) => state !== 'delivered' && detail !== null)?.detail
  return last ? ` Last answer: ${visibleName(last)}` : ' No answer is in the log.'
}

/** What is wrong with it, and the one thing to do about that. */
function Trouble({ channel, isAdmin }: { channel: ChannelOut; isAdmin: boolean }) {
  const { zone } = usePreferences()
  const switchOn = useAlertCommand(() => changeChannel(channel.id, { enabled: true }))
  const replay = useAlertCommand(() => replayChannel(channel.id))
  const retries = channel.retry_at === null ? '' : ` Next try ${formatInstant(Date.parse(channel.retry_at), zone)}.`
  return (
    <>
      {channel.state === 'off' && (
        <div className={own.trouble} role="alert">
          <Icon name="warning" />
          <p>{channel.off_reason}</p>
          {isAdmin && (
            <Button size="xs" variant="default" loading={switchOn.isPending} onClick={() => switchOn.mutate()}>
              Switch it on again
            </Button>
          )}
        </div>
      )}
      {channel.state === 'failing' && (
        <div className={own.trouble} role="alert">
          <Icon name="warning" />
          <p>
            {plural(channel.failures, 'attempt')} failed one after another.{retries}
            <LastError channel={channel} />
          </p>
        </div>
      )}
      {channel.dead > 0 && isAdmin && (
        <div className={own.trouble}>
          <Icon name="warning" />
          <p>
            {plural(channel.dead, 'message')} could not be delivered. When the cause is gone, send{' '}
            {channel.dead === 1 ? 'it again if it' : 'again what'} is still true.
          </p>
          <Button size="xs" variant="default" loading={replay.isPending} onClick={() => replay.mutate()}>
            {channel.dead === 1 ? 'Send it again' : 'Send them again'}
          </Button>
        </div>
      )}
      <Failure title="Not switched on" error={switchOn.error} />
      <Failure title="Not sent again" error={replay.error} />
    </>
  )
}
