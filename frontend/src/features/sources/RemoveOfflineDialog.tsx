/** Removing an offline environment takes its pages with it, for good: it asks first. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { removeOffline } from '../../api/commands'
import type { OfflineEnvironmentOut } from '../../api/types'
import * as offlineCopy from '../../copy/offline'
import { RemovalDialog } from '../../kit/form/RemovalDialog'
import { Name } from '../../kit/text/Name'

export function RemoveOfflineDialog({
  environment,
  onClose,
}: {
  environment: OfflineEnvironmentOut
  onClose: () => void
}) {
  const client = useQueryClient()
  const onSuccess = async () => {
    await client.invalidateQueries()
    onClose()
  }
  const removal = useMutation({ mutationFn: () => removeOffline(environment.name), onSuccess })
  return (
    <RemovalDialog title={offlineCopy.removeTitle} removal={removal} onClose={onClose}>
      <p>
        <strong>
          <Name whole>{environment.name}</Name>
        </strong>
      </p>
      <p>{offlineCopy.removeText}</p>
    </RemovalDialog>
  )
}
