/** Who is told of alerts: which channels take one, and the note that none takes any. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { channelsQuery } from '../../api/alerts'
import type { AlertOut, ChannelOut } from '../../api/types'
import { SEVERITIES } from '../../components/alerts/words'
import { Icon } from '../../components/Icon'
import { Name } from '../../components/Name'
import styles from './Alerts.module.css'

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
  if (data === undefined) return error === null ? '…' : 'not known: the channels could not be read'
  const { names, mayMatch } = takersOf(alert, data)
  if (names.length > 0) return <Name whole>{`to ${names.join(', ')}`}</Name>
  const channels = <Link to={'/alerts/channels' as string}>Channels</Link>
  return mayMatch ? (
    <>only to channels that it matches: {channels}</>
  ) : (
    <>No channel takes this: nobody would be told. {channels}</>
  )
}

/** Said once, whether something fires or not. */
export function ToldToNobody() {
  const { data } = useQuery(channelsQuery())
  if (data === undefined || working(data).length > 0) return null
  return (
    <div className={styles.untold}>
      <Icon name="warning" />
      <p>Alerts are told to nobody: no channel is {data.length === 0 ? 'set up' : 'switched on'}.</p>
      <Button component={Link} to="/alerts/channels" size="xs" variant="default">
        {data.length === 0 ? 'Add a channel' : 'Go to the channels'}
      </Button>
    </div>
  )
}
