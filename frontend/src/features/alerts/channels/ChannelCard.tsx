/** One channel: how it fares, what goes there, what could not be delivered. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { changeChannel, replayChannel, tryStoredChannel } from '../../../api/alertCommands'
import { notificationsQuery } from '../../../api/alerts'
import { useSession } from '../../../api/session'
import type { ChannelOut } from '../../../api/types'
import * as alertsCopy from '../../../copy/alerts'
import * as channelsCopy from '../../../copy/channels'
import * as commonCopy from '../../../copy/common'
import { Card } from '../../../kit/layout/Card'
import { Icon } from '../../../kit/mark/Icon'
import { StateMark } from '../../../kit/mark/StateMark'
import { Failure } from '../../../kit/state/Failure'
import { Name } from '../../../kit/text/Name'
import { usePreferences } from '../../../lib/preferences'
import { plural, visibleName } from '../../../lib/text'
import { formatInstant } from '../../../lib/time'
import { useAlertCommand } from '../useAlertCommand'
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
        aria-label={channelsCopy.testNamed(channel.name)}
      >
        {commonCopy.test}
      </Button>
      <Button size="xs" variant="default" onClick={onEdit} aria-label={commonCopy.editNamed(channel.name)}>
        {commonCopy.edit}
      </Button>
      <Button size="xs" variant="default" onClick={onRemove} aria-label={commonCopy.removeNamed(channel.name)}>
        {commonCopy.remove}
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
      <Failure title={channelsCopy.testFailed} error={test.error} />
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
    [commonCopy.type, kindTitle],
    [
      channelsCopy.accepts,
      <Name key="takes" whole>
        {routeWords(channel.route)}
      </Name>,
    ],
    [
      channelsCopy.lastDelivered,
      last_delivered_at === null ? alertsCopy.never : formatInstant(Date.parse(last_delivered_at), zone),
    ],
    [channelsCopy.queued, pending === 0 ? commonCopy.none : plural(pending, alertsCopy.notificationNoun)],
    [
      channelsCopy.undelivered,
      dead === 0 ? (
        commonCopy.none
      ) : (
        <Link
          key="dead"
          to={'/alerts/channels' as string}
          search={{ channel: String(channel.id), state: 'dead' } as never}
        >
          {plural(dead, alertsCopy.notificationNoun)}
        </Link>
      ),
    ],
    [
      channelsCopy.fallback,
      secondName === null ? (
        commonCopy.none
      ) : (
        <Name key="second" whole>
          {secondName}
        </Name>
      ),
    ],
  ]
  return (
    <dl className="terms tiles breaks">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt className="small">{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What the receiver last answered, whole: nobody has to look for it in the log. */
function LastError({ channel }: { channel: ChannelOut }) {
  const { data, error } = useQuery(notificationsQuery({ channel: channel.id, state: null }, 0))
  if (data === undefined) return error === null ? null : channelsCopy.responseNotLoaded
  const last = data.items.find(({ state, detail }) => state !== 'delivered' && detail !== null)?.detail
  return last ? channelsCopy.lastResponse(visibleName(last)) : channelsCopy.noResponse
}

/** What is wrong with it, and the one thing to do about that. */
function Trouble({ channel, isAdmin }: { channel: ChannelOut; isAdmin: boolean }) {
  const { zone } = usePreferences()
  const switchOn = useAlertCommand(() => changeChannel(channel.id, { enabled: true }))
  const replay = useAlertCommand(() => replayChannel(channel.id))
  const retries =
    channel.retry_at === null ? '' : channelsCopy.nextRetry(formatInstant(Date.parse(channel.retry_at), zone))
  return (
    <>
      {channel.state === 'off' && (
        <div className="note row wrap gap-words" style={{ marginBottom: 8 }} data-tone="bad" role="alert">
          <Icon name="warning" />
          <p>{channel.off_reason}</p>
          {isAdmin && (
            <Button size="xs" variant="default" loading={switchOn.isPending} onClick={() => switchOn.mutate()}>
              {channelsCopy.reenable}
            </Button>
          )}
        </div>
      )}
      {channel.state === 'failing' && (
        <div className="note row wrap gap-words" style={{ marginBottom: 8 }} data-tone="bad" role="alert">
          <Icon name="warning" />
          <p>
            {plural(channel.failures, alertsCopy.attempt)} {channelsCopy.attemptsFailed}
            {retries}
            <LastError channel={channel} />
          </p>
        </div>
      )}
      {channel.dead > 0 && isAdmin && (
        <div className="note row wrap gap-words" style={{ marginBottom: 8 }} data-tone="bad">
          <Icon name="warning" />
          <p>
            {plural(channel.dead, alertsCopy.notificationNoun)} {channelsCopy.resendHint}{' '}
            {channel.dead === 1 ? channelsCopy.resendOne : channelsCopy.resendMany}
          </p>
          <Button size="xs" variant="default" loading={replay.isPending} onClick={() => replay.mutate()}>
            {channel.dead === 1 ? channelsCopy.resend : channelsCopy.resendAll}
          </Button>
        </div>
      )}
      <Failure title={channelsCopy.enableFailed} error={switchOn.error} />
      <Failure title={channelsCopy.resendFailed} error={replay.error} />
    </>
  )
}
