/** Removing a source takes its pages with it, for good: it says so, and offers to switch it off instead. */

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeSource, removeSource } from '../../api/commands'
import type { SourceOut } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { RemovalDialog } from '../../kit/form/RemovalDialog'
import { Failure } from '../../kit/state/Failure'
import { Name } from '../../kit/text/Name'
import { inventory } from './sourceWords'

export function RemoveDialog({ source, onClose }: { source: SourceOut; onClose: () => void }) {
  const client = useQueryClient()
  const onSuccess = async () => {
    await client.invalidateQueries()
    onClose()
  }
  const removal = useMutation({ mutationFn: () => removeSource(source.id), onSuccess })
  const rest = useMutation({ mutationFn: () => changeSource(source.id, { enabled: false }), onSuccess })
  const known = inventory(source.entities)
  return (
    <RemovalDialog
      title={sourcesCopy.removeTitle}
      removal={removal}
      onClose={onClose}
      instead={
        source.enabled && (
          <Button variant="default" loading={rest.isPending} onClick={() => rest.mutate()}>
            {sourcesCopy.pauseInstead}
          </Button>
        )
      }
    >
      <p>
        {sourcesCopy.removeStops}{' '}
        <strong>
          <Name whole>{source.name}</Name>
        </strong>{' '}
        {sourcesCopy.removeSettings}
      </p>
      <p>
        {known === '' ? sourcesCopy.allInventory : sourcesCopy.itsInventory(known)} {sourcesCopy.removeData}{' '}
        <strong>{sourcesCopy.cannotBeUndone}</strong>
        {sourcesCopy.addedAgain}
      </p>
      {source.enabled && <p>{sourcesCopy.pauseInsteadText}</p>}
      <Failure title={sourcesCopy.pauseFailed} error={rest.error} />
    </RemovalDialog>
  )
}
