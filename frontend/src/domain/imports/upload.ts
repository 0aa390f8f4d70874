/** Sends a file in parts, and goes on where an earlier attempt or a broken connection left off. */

import { addImport, addPart, getImport } from '../../api/commands'
import type { FileImport, ImportIn } from '../../api/types'

/** The most that the API takes at once. */
export const PART_BYTES = 2 ** 20
const ATTEMPTS = 5
const PAUSE_MS = 2000

/** What is chosen beside the file. */
export type UploadTarget = Omit<ImportIn, 'file_name' | 'size_bytes'>

interface UploadOptions {
  target: UploadTarget
  /** Imports as they are: one of the same name and size that broke off is gone on with. */
  known: readonly FileImport[]
  onProgress: OnProgress
  pause_ms?: number
}

/** isBroken: the last part failed; it is tried again after a pause. */
type OnProgress = (sent_bytes: number, isBroken: boolean) => void

export async function upload(
  file: File,
  { known, target, onProgress, pause_ms = PAUSE_MS }: UploadOptions,
): Promise<void> {
  const begun = known.find(
    (each) =>
      each.state === 'uploading' &&
      each.format === target.format &&
      isTiedTo(each.subject, target) &&
      each.disk_id === (target.disk_id ?? null) &&
      each.file_name === file.name &&
      each.size_bytes === file.size,
  )
  const announced = begun ?? (await addImport({ ...target, file_name: file.name, size_bytes: file.size }))
  await sendParts(file, announced, onProgress, pause_ms)
}

function isTiedTo(subject: FileImport['subject'], { vm_id, datastore_id, volume_id }: UploadTarget): boolean {
  const ids: Partial<Record<string, number | null>> = { vm: vm_id, datastore: datastore_id, volume: volume_id }
  return Object.entries(ids).every(([kind, id]) => (id ?? null) === (subject?.kind === kind ? subject.id : null))
}

/** The parts of a file that was announced, from where it broke off. */
export async function sendParts(
  file: File,
  announced: Pick<FileImport, 'id' | 'received_bytes'>,
  onProgress: OnProgress,
  pause_ms: number = PAUSE_MS,
): Promise<void> {
  let position = announced.received_bytes
  let failures = 0
  while (position < file.size) {
    if (failures === 0) onProgress(position, false)
    try {
      const answer = await addPart(announced.id, position, file.slice(position, position + PART_BYTES))
      position = answer.received_bytes
      failures = 0
    } catch (error) {
      failures += 1
      if (failures >= ATTEMPTS) throw error
      onProgress(position, true)
      await new Promise((resolve) => setTimeout(resolve, pause_ms))
      position = await getImport(announced.id).then(
        (found) => found.received_bytes,
        () => position,
      )
    }
  }
  onProgress(file.size, false)
}
