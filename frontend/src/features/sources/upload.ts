/** Sends a file in parts, and goes on where an earlier attempt or a broken connection left off. */

import { addImport, addPart, getImport } from '../../api/commands'
import type { FileImport } from '../../api/types'

/** The most that the API takes at once. */
export const PART_BYTES = 2 ** 20
const ATTEMPTS = 5
const PAUSE_MS = 2000

interface UploadOptions {
  /** Imports as they are: one of the same name and size that broke off is gone on with. */
  known: readonly FileImport[]
  onProgress: (sent_bytes: number) => void
  pause_ms?: number
}

export async function upload(file: File, { known, onProgress, pause_ms = PAUSE_MS }: UploadOptions): Promise<void> {
  const begun = known.find(
    (each) => each.state === 'uploading' && each.file_name === file.name && each.size_bytes === file.size,
  )
  const target = begun ?? (await addImport(file.name, file.size))
  let position = target.received_bytes
  let failures = 0
  while (position < file.size) {
    onProgress(position)
    try {
      const answer = await addPart(target.id, position, file.slice(position, position + PART_BYTES))
      position = answer.received_bytes
      failures = 0
    } catch (error) {
      failures += 1
      if (failures >= ATTEMPTS) throw error
      await new Promise((resolve) => setTimeout(resolve, pause_ms))
      position = await getImport(target.id).then(
        (found) => found.received_bytes,
        () => position,
      )
    }
  }
  onProgress(file.size)
}
