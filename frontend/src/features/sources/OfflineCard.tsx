/** Environments that were made from files: of when, from what, how large, the way to their pages, and their removal. */

import { Button, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { offlineBuildsQuery, offlineQuery } from '../../api/offline'
import { useSession } from '../../api/session'
import type { OfflineBuild, OfflineEnvironmentOut } from '../../api/types'
import * as offlineCopy from '../../copy/offlineFiles'
import { Card } from '../../kit/layout/Card'
import { onPress, useAhead } from '../../kit/schedule/onPress'
import { DataState } from '../../kit/state/DataState'
import { ownAddress } from '../../lib/base'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatWindow } from '../../lib/time'
import { formatDiskSize } from '../../lib/units'
import { BuildProgress } from './BuildProgress'
import { NamedRow, RowAction } from './NamedRow'

const RemoveOfflineDialog = onPress(async () => (await import('./RemoveOfflineDialog')).RemoveOfflineDialog)
const OfflineDialog = onPress(async () => (await import('./OfflineDialog')).OfflineDialog)

export function OfflineCard() {
  const query = useQuery(offlineQuery())
  const builds = useBuilds()
  const { isAdmin } = useSession()
  const [isAdding, setAdding] = useState(false)
  useAhead(OfflineDialog)
  return (
    <Card
      title={offlineCopy.title}
      hint={query.data && query.data.length > 0 && plural(query.data.length, offlineCopy.environment)}
      actions={
        isAdmin && (
          <Button variant="default" size="xs" onClick={() => setAdding(true)}>
            {offlineCopy.add}
          </Button>
        )
      }
      flush
    >
      {isAdding && <OfflineDialog onClose={() => setAdding(false)} />}
      <BuildList builds={builds} isAdmin={isAdmin} />
      <DataState
        query={query}
        skeleton={<Skeleton height={80} m="md" />}
        empty={(found) =>
          found.length + builds.length === 0 ? { title: offlineCopy.empty, text: offlineCopy.emptyText } : null
        }
      >
        {(found) => <OfflineList environments={found} isAdmin={isAdmin} />}
      </DataState>
    </Card>
  )
}

/** Those on their way. One that leaves them is made, or removed: the list of environments is another one then. */
function useBuilds(): readonly OfflineBuild[] {
  const client = useQueryClient()
  const builds = useQuery(offlineBuildsQuery()).data ?? []
  const names = builds.map(({ name }) => name).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when other environments are on their way
  useEffect(() => {
    void client.invalidateQueries({ queryKey: offlineQuery().queryKey, exact: true })
  }, [client, names])
  return builds
}

export function BuildList({ builds, isAdmin }: { builds: readonly OfflineBuild[]; isAdmin: boolean }) {
  const [removed, setRemoved] = useState<string | null>(null)
  if (builds.length === 0) return null
  return (
    <>
      {removed !== null && <RemoveOfflineDialog name={removed} isBuild onClose={() => setRemoved(null)} />}
      <ul className="ruled" aria-label={offlineCopy.builds}>
        {builds.map((build) => (
          <NamedRow
            key={build.name}
            name={build.name}
            action={
              isAdmin && (
                <RowAction label={offlineCopy.removeNamed(build.name)} onPress={() => setRemoved(build.name)}>
                  {offlineCopy.remove}
                </RowAction>
              )
            }
          >
            <BuildProgress build={build} />
            {build.state === 'uploading' && <p className="muted">{offlineCopy.interrupted}</p>}
          </NamedRow>
        ))}
      </ul>
    </>
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
  if (environments.length === 0) return null
  return (
    <>
      {shown && <RemoveOfflineDialog name={shown.name} isBuild={false} onClose={() => setRemoved(null)} />}
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
