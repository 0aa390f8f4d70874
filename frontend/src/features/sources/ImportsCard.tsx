/** Captures that people bring: dropped or chosen, uploaded in parts, and listed with their host, their clock and what they change. */

import { Button, Group, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { tieImport } from '../../api/commands'
import { importHostsQuery, importsQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import type { FileImport } from '../../api/types'
import * as importsCopy from '../../copy/imports'
import * as offlineCopy from '../../copy/offlineFiles'
import { DropArea, Uploads, useUploads } from '../../domain/imports/Uploads'
import { addressOf } from '../../domain/object/EntityLink'
import { Card } from '../../kit/layout/Card'
import { StateMark, type Tone } from '../../kit/mark/StateMark'
import { onPress, useAhead } from '../../kit/schedule/onPress'
import { DataState } from '../../kit/state/DataState'
import { Failure } from '../../kit/state/Failure'
import { NameLink } from '../../kit/text/Name'
import { Worded } from '../../kit/text/Worded'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatOffset, formatWindow } from '../../lib/time'
import { formatBytes, formatCount, formatFixed } from '../../lib/units'
import { NamedRow, RowAction } from './NamedRow'

const RemoveImportDialog = onPress(
  async () => (await import('../../domain/imports/RemoveImportDialog')).RemoveImportDialog,
)

const OfflineDialog = onPress(async () => (await import('./OfflineDialog')).OfflineDialog)

const CAPTURES = { format: 'esxtop', utc_bias_minutes: null, started_at: null, offset_s: null } as const
const CAPTURE_FILES = '.csv,.gz,.zip,.tsv,.txt'

export function ImportsCard() {
  const query = useQuery(importsQuery())
  const { isAdmin } = useSession()
  const { sending, send } = useUploads(query.data ?? [], CAPTURES)
  const isEmpty = sending.length === 0
  return (
    <Card
      title={importsCopy.title}
      hint={query.data && query.data.length > 0 && plural(query.data.length, importsCopy.file)}
      flush
    >
      {isAdmin && (
        <>
          <DropArea drop={importsCopy.drop} accept={CAPTURE_FILES} onFiles={send} />
          <OfflineChoice />
        </>
      )}
      {!isEmpty && <Uploads sending={sending} />}
      <DataState
        query={query}
        skeleton={<Skeleton height={80} m="md" />}
        empty={(found) =>
          found.length === 0 && isEmpty ? { title: importsCopy.empty, text: importsCopy.emptyText } : null
        }
      >
        {(found) => <ImportList imports={found} isAdmin={isAdmin} />}
      </DataState>
    </Card>
  )
}

/** Files that are not to narrow minutes, but to be looked at on their own. */
function OfflineChoice() {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="row wrap inset gap-words">
      {isOpen && <OfflineDialog onClose={() => setOpen(false)} />}
      <span className="muted">{offlineCopy.openFiles}</span>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {offlineCopy.openImported}
      </Button>
    </div>
  )
}

function OfflineSuggestion({ file }: { file: FileImport }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {isOpen && <OfflineDialog capture={file} onClose={() => setOpen(false)} />}
      <p className="muted">{offlineCopy.suggested}</p>
      <RowAction label={offlineCopy.openImportedNamed(file.file_name)} onPress={() => setOpen(true)}>
        {offlineCopy.openImported}
      </RowAction>
    </>
  )
}

export function ImportList({ imports, isAdmin }: { imports: readonly FileImport[]; isAdmin: boolean }) {
  useAhead(RemoveImportDialog, OfflineDialog)
  const [removed_id, setRemoved] = useState<number | null>(null)
  const removed = imports.find(({ id }) => id === removed_id)
  if (imports.length === 0) return null
  return (
    <>
      {removed && <RemoveImportDialog file={removed} onClose={() => setRemoved(null)} />}
      <ul className="ruled" aria-label={importsCopy.list}>
        {imports.map((each) => (
          <NamedRow
            key={each.id}
            name={each.file_name}
            action={
              isAdmin && (
                <RowAction label={importsCopy.removeNamed(each.file_name)} onPress={() => setRemoved(each.id)}>
                  {importsCopy.remove}
                </RowAction>
              )
            }
          >
            <StateMark {...markOf(each)} />
            <Details file={each} />
            {isAdmin && each.format === 'esxtop' && each.state === 'ready' && each.host_id === null && (
              <HostChoice import_id={each.id} />
            )}
            {isAdmin && each.suggests_offline && <OfflineSuggestion file={each} />}
          </NamedRow>
        ))}
      </ul>
    </>
  )
}

function markOf(file: FileImport): { tone: Tone; word: string } {
  if (file.state === 'failed') return { tone: 'bad', word: importsCopy.states.failed }
  if (file.state !== 'ready') return { tone: 'calm', word: importsCopy.states[file.state] }
  if (file.format !== 'esxtop') return { tone: 'good', word: importsCopy.states.ready }
  return file.narrows ? { tone: 'good', word: importsCopy.narrows } : { tone: 'warn', word: importsCopy.alone }
}

function Details({ file }: { file: FileImport }) {
  const { zone } = usePreferences()
  if (file.error !== null) return <p>{<Worded>{file.error}</Worded>}</p>
  if (file.state === 'uploading')
    return (
      <p>
        {importsCopy.progress(formatBytes(file.received_bytes), formatBytes(file.size_bytes))}.{' '}
        {importsCopy.interrupted}
      </p>
    )
  if (file.state === 'ready' && file.format !== 'esxtop') return <RunDetails file={file} />
  if (file.state !== 'ready' || file.starts_at === null || file.ends_at === null)
    return <p>{importsCopy.progress(formatBytes(file.read_bytes), formatBytes(file.size_bytes))}</p>
  return (
    <>
      <p>
        {formatWindow(Date.parse(file.starts_at), Date.parse(file.ends_at), zone)} · {hostWords(file)}
      </p>
      {file.note !== null && <p className="muted">{<Worded>{file.note}</Worded>}</p>}
    </>
  )
}

/** Of a load tool: its runs are on the page of what they are tied to. */
function RunDetails({ file: { subject, runs, left_out } }: { file: FileImport }) {
  const count = importsCopy.runsAndLeftOut(plural(runs, importsCopy.run), left_out)
  const address = subject === null ? null : addressOf(subject)
  if (subject === null || address === null) return <p>{count}</p>
  return (
    <p className="row wrap narrow gap-words">
      <NameLink to={address} search={RUNS_TAB}>
        {subject.name}
      </NameLink>
      <span className="muted">{count}</span>
    </p>
  )
}

const RUNS_TAB = { tab: 'counters' }

const hostWords = (file: FileImport) =>
  [
    file.host === null ? importsCopy.noHost(file.host_name ?? '–') : importsCopy.hostOf(file.host),
    importsCopy.devices(formatCount(file.matched_devices), formatCount(file.devices)),
    ...(file.offset_s === null ? [] : [importsCopy.clock(formatOffset(file.offset_s, file.offset_error_s ?? 0))]),
    ...(file.offset_by === null ? [] : [alignment(file)]),
  ].join(' · ')

const alignment = ({ offset_by, correlation }: FileImport) =>
  offset_by === 'given' || correlation === null
    ? importsCopy.byHand
    : importsCopy.byCorrelation(formatFixed(correlation, 2))

const MOST_HOSTS = 5

function HostChoice({ import_id }: { import_id: number }) {
  const client = useQueryClient()
  const query = useQuery(importHostsQuery(import_id))
  const tie = useMutation({
    mutationFn: (host_id: number) => tieImport(import_id, host_id),
    onSuccess: () => client.invalidateQueries(),
  })
  const hosts = query.data?.slice(0, MOST_HOSTS) ?? []
  return (
    <>
      {(tie.error ?? query.error) && (
        <Failure inset title={importsCopy.tieFailed} error={(tie.error ?? query.error) as Error} />
      )}
      <Group gap={6} mt={4}>
        {hosts.map(({ host_id, host, correlation }) => (
          <Button
            key={host_id}
            variant="default"
            size="xs"
            loading={tie.isPending && tie.variables === host_id}
            onClick={() => tie.mutate(host_id)}
          >
            {importsCopy.hostChoice(host, correlation === null ? null : formatFixed(correlation, 2))}
          </Button>
        ))}
      </Group>
    </>
  )
}
