/** Files on their way to Gavel: chosen or dropped, sent in parts one after another, with how far each is. */

import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useRef, useState } from 'react'
import { importsQuery } from '../../api/queries'
import type { FileImport } from '../../api/types'
import * as importsCopy from '../../copy/imports'
import { Failure } from '../../kit/state/Failure'
import { Name } from '../../kit/text/Name'
import { browserNow } from '../../lib/clock'
import { NO_TRACK, type Track, withProgress } from './pace'
import { UploadPace } from './UploadPace'
import styles from './Uploads.module.css'
import { type UploadTarget, upload } from './upload'

interface Sending {
  name: string
  size: number
  sent: number
  track: Track
  error: Error | null
}

/** One file after another: the slowest part is the line. */
export function useUploads(known: readonly FileImport[], target: UploadTarget) {
  const client = useQueryClient()
  const [sending, setSending] = useState<readonly Sending[]>([])
  const change = (name: string, changed: (each: Sending) => Sending) =>
    setSending((all) => all.map((each) => (each.name === name ? changed(each) : each)))
  const send = async (files: readonly File[]) => {
    const added = files.map(({ name, size }) => ({ name, size, sent: 0, track: NO_TRACK, error: null }))
    const names = new Set(added.map(({ name }) => name))
    setSending((all) => [...all.filter(({ name }) => !names.has(name)), ...added])
    for (const file of files) {
      try {
        await upload(file, { known, target, onProgress: (...news) => change(file.name, progressed(...news)) })
        setSending((all) => all.filter(({ name }) => name !== file.name))
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error))
        change(file.name, (each) => ({ ...each, error: failure }))
      }
      await client.invalidateQueries({ queryKey: importsQuery().queryKey })
    }
  }
  return { sending, send }
}

function progressed(sent: number, isBroken: boolean): (each: Sending) => Sending {
  const at_ms = browserNow()
  return (each) => ({ ...each, sent, track: withProgress(each.track, sent, isBroken, at_ms) })
}

interface DropAreaProps {
  /** What may be dropped here. */
  drop: string
  /** As a file chooser takes it. */
  accept: string
  onFiles: (files: readonly File[]) => void
}

export function DropArea({ drop, accept, onFiles }: DropAreaProps) {
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
        accept={accept}
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
      <p className="narrow muted">{drop}</p>
    </section>
  )
}

export function Uploads({ sending }: { sending: readonly Sending[] }) {
  return (
    <ul className="ruled" aria-label={importsCopy.uploads}>
      {sending.map(({ name, size, sent, track, error }) => (
        <li key={name} className="inset ruled-below breaks stack gap-4">
          <strong>
            <Name focusable>{name}</Name>
          </strong>
          {error === null ? (
            <UploadPace name={name} size={size} sent={sent} track={track} />
          ) : (
            <Failure inset title={importsCopy.uploadFailed(name)} error={error} />
          )}
        </li>
      ))}
    </ul>
  )
}
