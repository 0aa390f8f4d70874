/** Where messages go: every channel with its health, the way to add, change, test and remove one, and the delivery log. */

import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { removeChannel } from '../../../api/alertCommands'
import { channelKindsQuery, channelsQuery } from '../../../api/alerts'
import { useSession } from '../../../api/session'
import type { ChannelOut } from '../../../api/types'
import * as channelsCopy from '../../../copy/channels'
import * as commonCopy from '../../../copy/common'
import * as navigationCopy from '../../../copy/navigation'
import { Card } from '../../../kit/layout/Card'
import { Icon } from '../../../kit/mark/Icon'
import { onPress, useAhead } from '../../../kit/schedule/onPress'
import { DataState } from '../../../kit/state/DataState'
import { Name } from '../../../kit/text/Name'
import { AlertsFrame } from '../AlertsFrame'
import { ChannelCard } from './ChannelCard'
import { LogCard } from './LogCard'

const RemoveDialog = onPress(async () => (await import('../RemoveDialog')).RemoveDialog)
const ChannelDialog = onPress(async () => (await import('./ChannelDialog')).ChannelDialog)

/** A card with the lines of a channel that is well. */
function ChannelSkeleton() {
  return (
    <Card title={<Skeleton height={16} width={180} />} hint={commonCopy.loading}>
      <Skeleton height={14} mb={10} width="70%" />
      <Skeleton height={14} width="50%" />
    </Card>
  )
}

type Dialog = { kind: 'add' } | { kind: 'edit' | 'remove'; channel: ChannelOut } | null

export default function ChannelsPage() {
  useAhead(RemoveDialog, ChannelDialog)
  const query = useQuery(channelsQuery())
  const kinds = useQuery(channelKindsQuery())
  const { isAdmin } = useSession()
  const [dialog, setDialog] = useState<Dialog>(null)
  const close = () => setDialog(null)
  const channels = query.data ?? []
  const nameOf = (id: number | null) => channels.find((channel) => channel.id === id)?.name ?? null
  const titleOf = (kind: string) => kinds.data?.find((one) => one.kind === kind)?.title ?? kind
  const add = (
    <Button leftSection={<Icon name="plus" />} disabled={!isAdmin} onClick={() => setDialog({ kind: 'add' })}>
      {channelsCopy.add}
    </Button>
  )
  return (
    <AlertsFrame title={navigationCopy.channels} actions={add} todo={channelsCopy.todo}>
      <DataState
        query={query}
        whole
        skeleton={<ChannelSkeleton />}
        empty={(found) =>
          found.length > 0
            ? null
            : {
                title: channelsCopy.noneYet,
                text: channelsCopy.noneYetText,
                action: add,
              }
        }
      >
        {(found) =>
          found.map((channel) => (
            <ChannelCard
              key={channel.id}
              channel={channel}
              kindTitle={titleOf(channel.kind)}
              secondName={nameOf(channel.second_id)}
              onEdit={() => setDialog({ kind: 'edit', channel })}
              onRemove={() => setDialog({ kind: 'remove', channel })}
            />
          ))
        }
      </DataState>
      <LogCard channels={channels} />
      {dialog?.kind === 'add' && <ChannelDialog channel={null} others={channels} onClose={close} />}
      {dialog?.kind === 'edit' && (
        <ChannelDialog
          channel={dialog.channel}
          others={channels.filter(({ id }) => id !== dialog.channel.id)}
          onClose={close}
        />
      )}
      {dialog?.kind === 'remove' && (
        <RemoveDialog title={channelsCopy.removeTitle} command={() => removeChannel(dialog.channel.id)} onClose={close}>
          {channelsCopy.removeStops}{' '}
          <strong>
            <Name whole>{dialog.channel.name}</Name>
          </strong>
          {channelsCopy.removeText}
        </RemoveDialog>
      )}
    </AlertsFrame>
  )
}
