/** Makes an offline environment of files, or of a capture that is imported: name, files, time zone; then how far it is, and the way there. */

import { Button, FileInput, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addOffline, offlineBuildsQuery, offlineQuery } from '../../api/offline'
import type { FileImport, OfflineBuild } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as offlineCopy from '../../copy/offlineFiles'
import { OFFSETS_MINUTES, offsetText } from '../../domain/imports/offsets'
import { sendParts } from '../../domain/imports/upload'
import { Failure } from '../../kit/state/Failure'
import { ownAddress } from '../../lib/base'
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
  const make = useMutation({
    mutationFn: async () => {
      const build = await addOffline({
        name,
        files: [...captures.map(announced('esxtop')), ...exports.map(announced('array'))],
        import_ids: capture ? [capture.id] : [],
        utc_bias_minutes: offset === OF_FILE ? null : 0 - Number(offset),
      })
      await client.invalidateQueries({ queryKey: offlineBuildsQuery().queryKey })
      await sendFiles(build, [...captures, ...exports])
    },
    onSettled: () => client.invalidateQueries({ queryKey: offlineQuery().queryKey }),
  })
  const isBegun = make.isPending || make.isSuccess
  const isWhole = name !== '' && (captures.length > 0 || capture !== undefined)
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={offlineCopy.addTitle}
      closeButtonProps={{ 'aria-label': commonCopy.close }}
    >
      {isBegun ? (
        <Progress name={name} isSent={make.isSuccess} onClose={onClose} />
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
    </Modal>
  )
}

/** One file after another: the slowest part is the line. */
async function sendFiles(build: OfflineBuild, files: readonly File[]): Promise<void> {
  for (const file of files) {
    const begun = build.files.find(({ is_upload, file_name }) => is_upload && file_name === file.name)
    if (begun) await sendParts(file, { id: begun.import_id, received_bytes: begun.received_bytes }, () => undefined)
  }
}

const announced =
  (kind: 'esxtop' | 'array') =>
  ({ name, size }: File) => ({ kind, file_name: name, size_bytes: size })

/** Until it is made: it then leaves the list of builds for that of environments. */
function Progress({ name, isSent, onClose }: { name: string; isSent: boolean; onClose: () => void }) {
  const builds = useQuery(offlineBuildsQuery())
  const environments = useQuery(offlineQuery())
  const build = builds.data?.find((each) => each.name === name)
  const isMade = isSent && build === undefined && environments.data?.some((each) => each.name === name)
  return (
    <Stack gap="md" role="status">
      {build && <BuildProgress build={build} />}
      {build && build.state === 'uploading' && <p className="muted">{offlineCopy.mayClose}</p>}
      {isMade && <p>{offlineCopy.madeAway(name)}</p>}
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
