/** Removing an import changes minutes that people may have looked at: it asks first, and says what becomes of them. */

import { Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { removeImport } from '../../api/commands'
import type { FileImport } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as importsCopy from '../../copy/imports'
import { Name } from '../../kit/text/Name'
import { Failure } from './NamedRow'

export function RemoveImportDialog({ file, onClose }: { file: FileImport; onClose: () => void }) {
  const client = useQueryClient()
  const onSuccess = async () => {
    await client.invalidateQueries()
    onClose()
  }
  const removal = useMutation({ mutationFn: () => removeImport(file.id), onSuccess })
  return (
    <Modal
      opened
      onClose={onClose}
      title={importsCopy.removeTitle}
      closeButtonProps={{ 'aria-label': commonCopy.close }}
    >
      <Stack gap="md">
        <p>
          <strong>
            <Name whole>{file.file_name}</Name>
          </strong>
        </p>
        <p>{file.state === 'ready' ? importsCopy.removeRestores : importsCopy.removeReading}</p>
        <Failure title={importsCopy.removeFailed} error={removal.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonCopy.cancel}
          </Button>
          <Button color="red" loading={removal.isPending} onClick={() => removal.mutate()}>
            {commonCopy.remove}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
