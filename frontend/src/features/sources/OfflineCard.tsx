/** Environments that were made from files: of when, from what, how large, the way to their pages, and their removal. */

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { offlineQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import type { OfflineEnvironmentOut } from '../../api/types'
import * as offlineCopy from '../../copy/offline'
import { Card } from '../../kit/layout/Card'
import { onPress, useAhead } from '../../kit/schedule/onPress'
import { DataState } from '../../kit/state/DataState'
import { ownAddress } from '../../lib/base'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatWindow } from '../../lib/time'
import { formatDiskSize } from '../../lib/units'
import { NamedRow, RowAction } from './NamedRow'

const RemoveOfflineDialog = onPress(async () => (await import('./RemoveOfflineDialog')).RemoveOfflineDialog)

export function OfflineCard() {
  const query = useQuery(offlineQuery())
  const { isAdmin } = useSession()
  return (
    <Card
      title={offlineCopy.title}
      hint={query.data && query.data.length > 0 && plural(query.data.length, offlineCopy.environment)}
      flush
    >
      <DataState
        query={query}
        skeleton={<Skeleton height={80} m="md" />}
        empty={(found) => (found.length === 0 ? { title: offlineCopy.empty, text: offlineCopy.emptyText } : null)}
      >
        {(found) => <OfflineList environments={found} isAdmin={isAdmin} />}
      </DataState>
    </Card>
  )
}

export function OfflineList({
  environments,
  isAdmin,
}: {
  environments: readonly OfflineEnvironmentOut[]
  isAdmin: boolean
}) {
  useAhead(RemoveOfflineDialog)
  const [removed, setRemoved] = useState<string | null>(null)
  const shown = environments.find(({ name }) => name === removed)
  return (
    <>
      {shown && <RemoveOfflineDialog environment={shown} onClose={() => setRemoved(null)} />}
      <ul className="ruled" aria-label={offlineCopy.title}>
        {environments.map((each) => (
          <NamedRow
            key={each.name}
            name={each.name}
            action={
              isAdmin && (
                <RowAction label={offlineCopy.removeNamed(each.name)} onPress={() => setRemoved(each.name)}>
                  {offlineCopy.remove}
                </RowAction>
              )
            }
          >
            <Details environment={each} />
          </NamedRow>
        ))}
      </ul>
    </>
  )
}

function Details({ environment }: { environment: OfflineEnvironmentOut }) {
  const { zone } = usePreferences()
  const window = formatWindow(Date.parse(environment.from_at), Date.parse(environment.to_at), zone)
  const files = environment.files.map(({ file_name, subject }) => `${file_name} (${subject})`).join(', ')
  return (
    <>
      <p>
        {/* Another application below another path: the browser has to go there. */}
        <a href={ownAddress(`/offline/${environment.name}/`)} aria-label={offlineCopy.openNamed(environment.name)}>
          {offlineCopy.open}
        </a>{' '}
        · {window} · {formatDiskSize(environment.size_bytes)}
      </p>
      <p className="muted breaks">{offlineCopy.from(files)}</p>
      {environment.notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
    </>
  )
}
