/** What guests push: how much of it comes, with which tokens, and which of their disks no virtual disk was found for. */

import { Button, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { revokeGuestToken, tieGuestDisk } from '../../api/commands'
import { guestsQuery, unmatchedGuestDisksQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import type { GuestDisk, Guests, GuestToken } from '../../api/types'
import * as guestsCopy from '../../copy/guests'
import { Card } from '../../kit/layout/Card'
import { StateMark } from '../../kit/mark/StateMark'
import { onPress, useAhead } from '../../kit/schedule/onPress'
import { DataState } from '../../kit/state/DataState'
import { Failure } from '../../kit/state/Failure'
import { Worded } from '../../kit/text/Worded'
import { serverNow } from '../../lib/clock'
import { plural } from '../../lib/text'
import { formatSeconds } from '../../lib/time'
import { formatCount } from '../../lib/units'
import { useNow } from '../../lib/useNow'
import { NamedRow, RowAction } from './NamedRow'

const AddGuestsDialog = onPress(async () => (await import('./AddGuestsDialog')).AddGuestsDialog)

export function GuestsCard() {
  useAhead(AddGuestsDialog)
  const query = useQuery(guestsQuery())
  const { isAdmin } = useSession()
  const [isAdding, setAdding] = useState(false)
  const guests = query.data
  const port = guests?.port ?? null
  return (
    <Card
      title={guestsCopy.title}
      hint={guests && guests.guests > 0 && summaryOf(guests)}
      actions={
        port !== null && (
          <Button variant="default" size="xs" disabled={!isAdmin} onClick={() => setAdding(true)}>
            {guestsCopy.add}
          </Button>
        )
      }
      flush
    >
      <DataState query={query} skeleton={<Skeleton height={80} m="md" />} empty={emptyOf}>
        {({ tokens, disks }) => (
          <>
            <Tokens tokens={tokens} isAdmin={isAdmin} />
            {disks > 0 && <UnmatchedDisks isAdmin={isAdmin} />}
          </>
        )}
      </DataState>
      {isAdding && guests && port !== null && (
        <AddGuestsDialog port={port} guests={guests} onClose={() => setAdding(false)} />
      )}
    </Card>
  )
}

const summaryOf = (guests: Guests) =>
  [
    plural(guests.guests, guestsCopy.guest),
    plural(guests.disks, guestsCopy.disk),
    guestsCopy.matched(formatCount(guests.matched_disks)),
    ...(guests.lag_s === null ? [] : [guestsCopy.lastPush(formatSeconds(guests.lag_s))]),
  ].join(', ')

function emptyOf(guests: Guests) {
  if (guests.tokens.length > 0) return null
  if (guests.port === null) return { title: guestsCopy.off, text: guestsCopy.offText }
  return { title: guestsCopy.nothingYet, text: guestsCopy.nothingYetText }
}

export function Tokens({ tokens, isAdmin }: { tokens: readonly GuestToken[]; isAdmin: boolean }) {
  const client = useQueryClient()
  const revoke = useMutation({ mutationFn: revokeGuestToken, onSuccess: () => client.invalidateQueries() })
  return (
    <>
      <Failure inset title={guestsCopy.revokeFailed} error={revoke.error} />
      <ul className="ruled" aria-label={guestsCopy.tokens}>
        {tokens.map((token) => (
          <NamedRow
            key={token.id}
            name={token.name}
            action={
              isAdmin && (
                <RowAction
                  label={guestsCopy.revokeNamed(token.name)}
                  isBusy={revoke.isPending && revoke.variables === token.id}
                  onPress={() => revoke.mutate(token.id)}
                >
                  {guestsCopy.revoke}
                </RowAction>
              )
            }
          >
            <p>
              <LastUse token={token} /> · {token.vm_names === null ? guestsCopy.anyVm : onlyOf(token.vm_names)}
            </p>
            {token.refused.length > 0 && <p className="muted">{refusedOf(token)}</p>}
          </NamedRow>
        ))}
      </ul>
    </>
  )
}

const onlyOf = (names: readonly string[]) => guestsCopy.onlyFor(names.join(', '))

const refusedOf = ({ refused }: GuestToken) =>
  `${guestsCopy.notUsed}: ${refused.map(({ reason, lines }) => `${formatCount(lines)} ${guestsCopy.refusals[reason]}`).join(', ')}`

function LastUse({ token }: { token: GuestToken }) {
  useNow()
  if (token.used_at === null) return guestsCopy.neverUsed
  return guestsCopy.lastUse(formatSeconds(Math.max(0, (serverNow() - Date.parse(token.used_at)) / 1000)))
}

function UnmatchedDisks({ isAdmin }: { isAdmin: boolean }) {
  const query = useQuery(unmatchedGuestDisksQuery())
  return (
    <DataState query={query} skeleton={<Skeleton height={80} m="md" />}>
      {({ items, total }) => <DiskList disks={items} total={total} isAdmin={isAdmin} />}
    </DataState>
  )
}

interface DiskListProps {
  disks: readonly GuestDisk[]
  total: number
  isAdmin: boolean
}

export function DiskList({ disks, total, isAdmin }: DiskListProps) {
  const client = useQueryClient()
  const tie = useMutation({
    mutationFn: ({ id, to }: { id: number; to: number }) => tieGuestDisk(id, to),
    onSuccess: () => client.invalidateQueries(),
  })
  if (total === 0) return <p className="inset ruled">{guestsCopy.allMatched}</p>
  return (
    <>
      <Failure inset title={guestsCopy.tieFailed} error={tie.error} />
      <ul className="ruled" aria-label={guestsCopy.unmatched}>
        {disks.map((disk) => (
          <NamedRow
            key={disk.id}
            name={`${disk.host_name} ${disk.disk}`}
            action={
              disk.suggested_id !== null &&
              disk.suggested !== null && (
                <RowAction
                  isDisabled={!isAdmin}
                  onPress={() => tie.mutate({ id: disk.id, to: disk.suggested_id as number })}
                >
                  {guestsCopy.tie(disk.suggested)}
                </RowAction>
              )
            }
          >
            <StateMark tone="warn" word={guestsCopy.unmatchedMark} />
            {disk.reason !== null && <p>{guestsCopy.reasons[disk.reason]}</p>}
            <p className="muted">
              <Worded>{guestsCopy.byHand(disk.id)}</Worded>
            </p>
          </NamedRow>
        ))}
      </ul>
      {total > disks.length && <p className="inset ruled">{guestsCopy.moreUnmatched(disks.length, total)}</p>}
    </>
  )
}
