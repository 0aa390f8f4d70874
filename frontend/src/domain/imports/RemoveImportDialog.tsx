/** Removing an import changes minutes that people may have looked at: it asks first, and says what becomes of them. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { removeImport } from '../../api/commands'
import type { FileImport } from '../../api/types'
import * as importsCopy from '../../copy/imports'
import { RemovalDialog } from '../../kit/form/RemovalDialog'
import { Name } from '../../kit/text/Name'

export function RemoveImportDialog({ file, onClose }: { file: FileImport; onClose: () => void }) {
  const client = useQueryClient()
  const onSuccess = async () => {
    await client.invalidateQueries()
    onClose()
  }
  const removal = useMutation({ mutationFn: () => removeImport(file.id), onSuccess })
  return (
    <RemovalDialog title={importsCopy.removeTitle} removal={removal} onClose={onClose}>
      <p>
        <strong>
          <Name whole>{file.file_name}</Name>
        </strong>
      </p>
      <p>{removalWords(file)}</p>
    </RemovalDialog>
  )
}

function removalWords({ state, format }: FileImport): string {
  if (state !== 'ready') return importsCopy.removeReading
  return format === 'esxtop' ? importsCopy.removeRestores : importsCopy.removeRuns
}
