/** Makes an offline environment of files, or of a capture that is imported: name, files, time zone; then how far it is, and the way there. */

import { Button, FileInput, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addOffline, offlineBuildsQuery, offlineQuery } from '../../api/offline'
import type { FileImport, OfflineBuild } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as offlineCopy from '../../copy/offlineFiles'
import { OFFSETS_MINUTES, offsetText } from '../../domain/imports/offsets'
import { NO_TRACK, type Track, withProgress } from '../../domain/imports/pace'
import { UploadPace } from '../../domain/imports/UploadPace'
import { sendParts } from '../../domain/imports/upload'
import { FormDialog } from '../../kit/form/FormDialog'
import { StateMark } from '../../kit/mark/StateMark'
import { Failure } from '../../kit/state/Failure'
import { ownAddress } from '../../lib/base'
import { browserNow } from '../../lib/clock'
import { BuildProgress } from './BuildProgress'

const CAPTURE_FILES = '.csv,.gz,.zip,.tsv,.txt'
const EXPORT_FILES = '.json,.gz'
const LONGEST_NAME = 30
const OF_FILE = ''

interface OfflineDialogProps {
  /** A capture that need not be uploaded again. */
  capture?: FileImport
  onClose: () => void
}

export function OfflineDialog({ capture, onClose }: OfflineDialogProps) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [captures, setCaptures] = useState<File[]>([])
  const [exports, setExports] = useState<File[]>([])
  const [offset, setOffset] = useState(OF_FILE)
  const [sent, setSent] = useState(NOTHING_SENT)
  const make = useMutation({
    mutationFn: async () => {
      const build = await addOffline({
        name,
        files: [...captures.map(announced('esxtop')), ...exports.map(announced('array'))],
        import_ids: capture ? [capture.id] : [],
        utc_bias_minutes: offset === OF_FILE ? null : 0 - Number(offset),
      })
      await client.invalidateQueries({ queryKey: offlineBuildsQuery().queryKey })
      await sendFiles(build, [...captures, ...exports], (bytes, isBroken) => {
        const at_ms = browserNow()
        setSent(({ track }) => ({ bytes, track: withProgress(track, bytes, isBroken, at_ms) }))
      })
    },
    onSettled: () => client.invalidateQueries({ queryKey: offlineQuery().queryKey }),
  })
  const isBegun = make.isPending || make.isSuccess
  const isWhole = name !== '' && (captures.length > 0 || capture !== undefined)
  return (
    <FormDialog title={offlineCopy.addTitle} size="lg" isSaved={isBegun} onClose={onClose}>
      {isBegun ? (
        <Progress
          name={name}
          upload={{ size: [...captures, ...exports].reduce((total, { size }) => total + size, 0), ...sent }}
          isSent={make.isSuccess}
          onClose={onClose}
        />
      ) : (
        <Stack gap="md">
          <TextInput
            label={commonCopy.name}
            description={offlineCopy.nameHint}
            value={name}
            maxLength={LONGEST_NAME}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value.trim().toLowerCase())}
          />
          {capture ? (
            <p className="breaks">{offlineCopy.imported(capture.file_name)}</p>
          ) : (
            <FileInput
              multiple
              label={offlineCopy.captures}
              description={offlineCopy.capturesHint}
              placeholder={offlineCopy.choose}
              accept={CAPTURE_FILES}
              value={captures}
              onChange={setCaptures}
            />
          )}
          <FileInput
            multiple
            label={offlineCopy.exports}
            description={offlineCopy.exportsHint}
            placeholder={offlineCopy.choose}
            accept={EXPORT_FILES}
            value={exports}
            onChange={setExports}
          />
          {capture === undefined && (
            <NativeSelect
              label={offlineCopy.offset}
              description={offlineCopy.offsetHint}
              data={[
                { value: OF_FILE, label: offlineCopy.offsetOfFile },
                ...OFFSETS_MINUTES.map((minutes) => ({ value: String(minutes), label: offsetText(minutes) })),
              ]}
              value={offset}
              onChange={(event) => setOffset(event.currentTarget.value)}
            />
          )}
          <Failure title={offlineCopy.notMade} error={make.error} />
          {make.error && <p className="muted">{offlineCopy.interrupted}</p>}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {commonCopy.cancel}
            </Button>
            <Button disabled={!isWhole} onClick={() => make.mutate()}>
              {offlineCopy.make}
            </Button>
          </Group>
        </Stack>
      )}
    </FormDialog>
  )
}

/** Of all files together. */
const NOTHING_SENT = { bytes: 0, track: NO_TRACK }

/** One file after another: the slowest part is the line. onProgress: bytes of all files that have come. */
async function sendFiles(
  build: OfflineBuild,
  files: readonly File[],
  onProgress: (sent_bytes: number, isBroken: boolean) => void,
): Promise<void> {
  const begun = files.map((file) =>
    build.files.find(({ is_upload, file_name }) => is_upload && file_name === file.name),
  )
  const received = begun.map((each) => each?.received_bytes ?? 0)
  for (const [at, file] of files.entries()) {
    const own = begun[at]
    if (own)
      await sendParts(file, { id: own.import_id, received_bytes: own.received_bytes }, (bytes, isBroken) => {
        received[at] = bytes
        onProgress(
          received.reduce((total, each) => total + each, 0),
          isBroken,
        )
      })
  }
}

const announced =
  (kind: 'esxtop' | 'array') =>
  ({ name, size }: File) => ({ kind, file_name: name, size_bytes: size })

interface ProgressProps {
  name: string
  upload: { size: number; bytes: number; track: Track }
  isSent: boolean
  onClose: () => void
}

/** Until it is made: it then leaves the list of builds for that of environments. */
function Progress({ name, upload, isSent, onClose }: ProgressProps) {
  const builds = useQuery(offlineBuildsQuery())
  const environments = useQuery(offlineQuery())
  const build = builds.data?.find((each) => each.name === name)
  const isUploading = !isSent && upload.size > 0
  const isMade = isSent && build === undefined && environments.data?.some((each) => each.name === name)
  return (
    <Stack gap="md">
      {isUploading && (
        <div className="stack gap-4">
          <StateMark tone="calm" word={offlineCopy.states.uploading} />
          <UploadPace name={name} size={upload.size} sent={upload.bytes} track={upload.track} />
          <p className="muted">{offlineCopy.mayClose}</p>
        </div>
      )}
      <div role="status">
        {build && !isUploading && <BuildProgress build={build} />}
        {isMade && <p>{offlineCopy.madeAway(name)}</p>}
      </div>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          {commonCopy.close}
        </Button>
        {isMade && (
          <Button component="a" href={ownAddress(`/offline/${name}/`)}>
            {offlineCopy.openNamed(name)}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
