/** Who is told of alerts: which channels take one, and the note that none takes any. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { channelsQuery } from '../../api/alerts'
import type { AlertOut, ChannelOut } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import * as channelsCopy from '../../copy/channels'
import * as navigationCopy from '../../copy/navigation'
import { SEVERITIES } from '../../domain/alerts/words'
import { Icon } from '../../kit/mark/Icon'
import { Name } from '../../kit/text/Name'
import { plural, visibleName } from '../../lib/text'

/** Those that are sent to, whatever became of their newest message. */
const working = (channels: readonly ChannelOut[]) =>
  channels.filter(({ enabled, state }) => enabled && state !== 'off' && state !== 'disabled')

type Taking = { names: string[]; mayMatch: boolean }

/** Channels that take alerts of this severity: for sure, or perhaps, by what their matchers say of it. */
export function takersOf({ severity }: Pick<AlertOut, 'severity'>, channels: readonly ChannelOut[]): Taking {
  const severe = working(channels).filter(
    ({ route }) => SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(route.min_severity ?? 'info'),
  )
  const isForAll = ({ route }: ChannelOut) => (route.matchers ?? []).length === 0
  return { names: severe.filter(isForAll).map(({ name }) => name), mayMatch: !severe.every(isForAll) }
}

/** Where messages about an alert go that nothing keeps back. */
export function Receivers({ alert }: { alert: AlertOut }) {
  const { data, error } = useQuery(channelsQuery())
  if (data === undefined) return error === null ? '…' : alertsCopy.channelsUnknown
  const { names, mayMatch } = takersOf(alert, data)
  if (names.length > 0) return <Name whole>{alertsCopy.toChannels(names.join(', '))}</Name>
  const channels = <Link to={'/alerts/channels' as string}>{navigationCopy.channels}</Link>
  return mayMatch ? (
    <>
      {alertsCopy.matchingOnly} {channels}
    </>
  ) : (
    <>
      {alertsCopy.noChannel} {channels}
    </>
  )
}

/** What keeps messages from arriving: nobody would know of it where only the alerts are looked at. */
export function UntoldNote() {
  const { data, error } = useQuery(channelsQuery())
  if (data === undefined) return error === null ? null : <Note words={alertsCopy.deliveryUnknown} />
  if (data.length === 0) return <Note words={alertsCopy.noChannels} action={channelsCopy.add} />
  const nobody = working(data).length === 0 ? [alertsCopy.noneEnabled] : []
  const words = [...nobody, ...troublesOf(data)].join(' ')
  return words === '' ? null : <Note words={words} />
}

/** One sentence for each kind of trouble: those that fail, those that Gavel gave up, and what did not arrive. */
export function troublesOf(channels: readonly ChannelOut[]): string[] {
  const failing = channels.filter(({ state }) => state === 'failing')
  const off = channels.filter(({ state }) => state === 'off')
  const lost = channels.reduce((sum, { dead }) => sum + dead, 0)
  return [
    ...(failing.length === 0 ? [] : [alertsCopy.channelsFailing(namesOf(failing))]),
    ...(off.length === 0 ? [] : [alertsCopy.channelsDisabled(namesOf(off))]),
    ...(lost === 0 ? [] : [alertsCopy.undelivered(plural(lost, alertsCopy.notificationNoun))]),
  ]
}

const namesOf = (channels: readonly ChannelOut[]) =>
  // Isolated: a name that is written from right to left leaves the words around it in their order.
  channels.map(({ name }) => `“\u2068${shortened(visibleName(name))}\u2069”`).join(', ')

const MOST_NAME = 48
function shortened(name: string): string {
  const letters = [...name]
  if (letters.length <= MOST_NAME) return name
  return `${letters.slice(0, MOST_NAME / 2).join('')}…${letters.slice(-MOST_NAME / 2).join('')}`
}

function Note({ words, action = alertsCopy.openChannels }: { words: string; action?: string }) {
  return (
    <div className="note row wrap gap-words" data-tone="warn" role="status">
      <Icon name="warning" />
      <p>{words}</p>
      <Button component={Link} to="/alerts/channels" size="xs" variant="default">
        {action}
      </Button>
    </div>
  )
}
