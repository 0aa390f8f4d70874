/** Captures that people bring: dropped or chosen, uploaded in parts, and listed with their host, their clock and what they change. */

import { Button, Group, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useRef, useState } from 'react'
import { tieImport } from '../../api/commands'
import { importHostsQuery, importsQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import type { FileImport } from '../../api/types'
import * as importsCopy from '../../copy/imports'
import { Card } from '../../kit/layout/Card'
import { StateMark, type Tone } from '../../kit/mark/StateMark'
import { onPress, useAhead } from '../../kit/schedule/onPress'
import { DataState } from '../../kit/state/DataState'
import { Failure } from '../../kit/state/Failure'
import { Worded } from '../../kit/text/Worded'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatOffset, formatWindow } from '../../lib/time'
import { formatBytes, formatCount, formatFixed } from '../../lib/units'
import styles from './ImportsCard.module.css'
import { NamedRow, RowAction } from './NamedRow'
import { upload } from './upload'

const RemoveImportDialog = onPress(async () => (await import('./RemoveImportDialog')).RemoveImportDialog)

interface Sending {
  name: string
  size: number
  sent: number
  error: Error | null
}

export function ImportsCard() {
  const query = useQuery(importsQuery())
  const { isAdmin } = useSession()
  const { sending, send } = useUploads(query.data ?? [])
  const isEmpty = sending.length === 0
  return (
    <Card
      title={importsCopy.title}
      hint={query.data && query.data.length > 0 && plural(query.data.length, importsCopy.capture)}
      flush
    >
      {isAdmin && <DropArea onFiles={send} />}
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

/** One file after another: the slowest part is the line. */
function useUploads(known: readonly FileImport[]) {
  const client = useQueryClient()
  const [sending, setSending] = useState<readonly Sending[]>([])
  const note = (name: string, change: Partial<Sending>) =>
    setSending((all) => all.map((each) => (each.name === name ? { ...each, ...change } : each)))
  const send = async (files: readonly File[]) => {
    const added = files.map(({ name, size }) => ({ name, size, sent: 0, error: null }))
    const names = new Set(added.map(({ name }) => name))
    setSending((all) => [...all.filter(({ name }) => !names.has(name)), ...added])
    for (const file of files) {
      try {
        await upload(file, { known, onProgress: (sent) => note(file.name, { sent }) })
        setSending((all) => all.filter(({ name }) => name !== file.name))
      } catch (error) {
        note(file.name, { error: error instanceof Error ? error : new Error(String(error)) })
      }
      await client.invalidateQueries({ queryKey: importsQuery().queryKey })
    }
  }
  return { sending, send }
}

export function DropArea({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const files = [...event.dataTransfer.files]
    if (files.length > 0) onFiles(files)
  }
  return (
    <section
      className={`${styles.drop} row wrap breaks gap-wrap`}
      aria-label={importsCopy.dropName}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept=".csv,.gz,.zip,.tsv,.txt"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])]
          // So that the same file can be chosen again, to go on with it.
          event.currentTarget.value = ''
          if (files.length > 0) onFiles(files)
        }}
      />
      <Button variant="default" size="xs" onClick={() => input.current?.click()}>
        {importsCopy.choose}
      </Button>
      <p className="narrow muted">{importsCopy.drop}</p>
    </section>
  )
}

function Uploads({ sending }: { sending: readonly Sending[] }) {
  return (
    <ul className="ruled" aria-label={importsCopy.uploads}>
      {sending.map(({ name, size, sent, error }) => (
        <NamedRow key={name} name={name}>
          {error === null ? (
            <>
              <p>{importsCopy.progress(formatBytes(sent), formatBytes(size))}</p>
              <progress className={`${styles.progress} full`} max={size} value={sent} aria-label={name} />
            </>
          ) : (
            <Failure inset title={importsCopy.uploadFailed(name)} error={error} />
          )}
        </NamedRow>
      ))}
    </ul>
  )
}

export function ImportList({ imports, isAdmin }: { imports: readonly FileImport[]; isAdmin: boolean }) {
  useAhead(RemoveImportDialog)
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
            {isAdmin && each.state === 'ready' && each.host_id === null && <HostChoice import_id={each.id} />}
          </NamedRow>
        ))}
      </ul>
    </>
  )
}

function markOf(file: FileImport): { tone: Tone; word: string } {
  if (file.state === 'failed') return { tone: 'bad', word: importsCopy.states.failed }
  if (file.state !== 'ready') return { tone: 'calm', word: importsCopy.states[file.state] }
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
