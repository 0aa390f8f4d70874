/** The delivery log: every message, whether it arrived, and each attempt on request. */

import { NativeSelect } from '@mantine/core'
import { useMemo, useState } from 'react'
import { notificationsQuery } from '../../../api/alerts'
import type { ListPage } from '../../../api/queries'
import type { ChannelOut, NotificationOut } from '../../../api/types'
import * as alertsCopy from '../../../copy/alerts'
import * as channelsCopy from '../../../copy/channels'
import { alertStateWord } from '../../../domain/alerts/words'
import { useServerRows } from '../../../domain/lists/useServerRows'
import { CHANNEL, NOTIFICATION_STATE } from '../../../domain/parameters'
import { Card } from '../../../kit/layout/Card'
import { StateMark } from '../../../kit/mark/StateMark'
import { onPress, useAhead } from '../../../kit/schedule/onPress'
import { DataState } from '../../../kit/state/DataState'
import type { Column } from '../../../kit/table/Column'
import { VirtualTable } from '../../../kit/table/VirtualTable'
import { Name } from '../../../kit/text/Name'
import { usePreferences } from '../../../lib/preferences'
import { visibleName } from '../../../lib/text'
import { formatMoment, type Zone, zoneName } from '../../../lib/time'
import { useParameter } from '../../../lib/url'
import { RowsSkeleton } from '../RowsSkeleton'
import { NOTIFICATION_STATES, sentMark } from './words'

const MessageDialog = onPress(async () => (await import('./MessageDialog')).MessageDialog)

export function LogCard({ channels }: { channels: readonly ChannelOut[] }) {
  useAhead(MessageDialog)
  const { zone } = usePreferences()
  const [channelText, setChannel] = useParameter(CHANNEL)
  const [stateText, setState] = useParameter(NOTIFICATION_STATE)
  const [opened, open] = useState<number | null>(null)
  const state = NOTIFICATION_STATES.find((one) => one === stateText) ?? null
  const channel = channels.find(({ id }) => String(id) === channelText)?.id ?? null
  const params = useMemo(() => ({ channel, state }), [channel, state])
  const { query, rowAt, onWindow } = useServerRows<NotificationOut, ListPage<NotificationOut>>(
    (offset) => notificationsQuery(params, offset) as never,
  )
  const columns = useMemo(() => columnsIn(zone, open), [zone])
  const filters = (
    <div className="filters flex wrap gap-8">
      <NativeSelect
        aria-label={channelsCopy.byChannel}
        data={[
          { value: '', label: channelsCopy.allChannels },
          ...channels.map(({ id, name }) => ({ value: String(id), label: visibleName(name) })),
        ]}
        value={channel === null ? '' : String(channel)}
        onChange={(event) => setChannel(event.currentTarget.value)}
        maw={220}
      />
      <NativeSelect
        aria-label={channelsCopy.byState}
        data={[
          { value: '', label: channelsCopy.anyState },
          ...NOTIFICATION_STATES.map((one) => ({ value: one, label: sentMark(one).word })),
        ]}
        value={state ?? ''}
        onChange={(event) => setState(event.currentTarget.value)}
      />
    </div>
  )
  return (
    <Card title={channelsCopy.log} hint={channelsCopy.logHint} actions={filters} flush>
      <DataState
        query={query}
        skeleton={<RowsSkeleton columns={columns} rows={5} />}
        empty={(page) =>
          page.total > 0
            ? null
            : channel === null && state === null
              ? {
                  title: channelsCopy.noneSent,
                  text: channelsCopy.noneSentText,
                }
              : { title: channelsCopy.noMatch, text: channelsCopy.noMatchText }
        }
      >
        {(page) => (
          <VirtualTable<NotificationOut>
            label={channelsCopy.log}
            columns={columns}
            count={page.total}
            rowAt={rowAt}
            onWindow={onWindow}
            rowKey={(one) => String(one.id)}
          />
        )}
      </DataState>
      {opened !== null && <MessageDialog id={opened} onClose={() => open(null)} />}
    </Card>
  )
}

function Headline({ one, onOpen }: { one: NotificationOut; onOpen: (id: number) => void }) {
  return (
    <button
      type="button"
      className="name-link plain inline narrow medium"
      onClick={() => onOpen(one.id)}
      aria-label={visibleName(one.headline)}
    >
      <Name>{one.headline}</Name>
    </button>
  )
}

const madeAt = ({ created_at }: NotificationOut, zone: Zone) => formatMoment(Date.parse(created_at), zone, true)

const columnsIn = (zone: Zone, onOpen: (id: number) => void): Column<NotificationOut>[] => [
  {
    id: 'headline',
    header: channelsCopy.notification,
    width: 240,
    grow: true,
    cell: (one) => <Headline one={one} onOpen={onOpen} />,
  },
  { id: 'status', header: alertsCopy.event, width: 96, cell: ({ status }) => alertStateWord(status) },
  {
    id: 'channel',
    header: alertsCopy.channel,
    width: 160,
    grow: true,
    cell: (one) => <Name focusable>{one.channel_name}</Name>,
  },
  {
    id: 'state',
    header: alertsCopy.delivery,
    width: 136,
    compact: 'bare',
    cell: ({ state }) => <StateMark {...sentMark(state)} />,
  },
  {
    id: 'at',
    header: channelsCopy.created(zoneName(zone)),
    width: 146,
    cell: (one) => <span className="numeric">{madeAt(one, zone)}</span>,
  },
  {
    id: 'attempts',
    header: alertsCopy.attempts,
    width: 88,
    align: 'right',
    cell: ({ attempts }) => <span className="numeric">{attempts}</span>,
  },
  {
    id: 'detail',
    header: alertsCopy.response,
    width: 200,
    grow: true,
    compact: ({ detail }) => detail && <Name whole>{detail}</Name>,
    cell: ({ detail }) => detail && <Name focusable>{detail}</Name>,
  },
]
