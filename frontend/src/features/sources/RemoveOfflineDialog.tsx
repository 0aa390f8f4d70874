/** Removing an offline environment takes its pages with it, for good: it asks first. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { removeOffline, removeOfflineBuild } from '../../api/offline'
import * as offlineCopy from '../../copy/offlineFiles'
import { RemovalDialog } from '../../kit/form/RemovalDialog'
import { Name } from '../../kit/text/Name'

interface RemoveOfflineDialogProps {
  name: string
  /** It is not made yet. */
  isBuild: boolean
  onClose: () => void
}

export function RemoveOfflineDialog({ name, isBuild, onClose }: RemoveOfflineDialogProps) {
  const client = useQueryClient()
  const onSuccess = async () => {
    await client.invalidateQueries()
    onClose()
  }
  const removal = useMutation({ mutationFn: () => (isBuild ? removeOfflineBuild : removeOffline)(name), onSuccess })
  return (
    <RemovalDialog title={offlineCopy.removeTitle} removal={removal} onClose={onClose}>
      <p>
        <strong>
          <Name whole>{name}</Name>
        </strong>
      </p>
      <p>{isBuild ? offlineCopy.removeBuildText : offlineCopy.removeText}</p>
    </RemovalDialog>
  )
}
