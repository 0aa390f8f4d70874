import * as diagnosisCopy from '../../copy/diagnosis'
import * as listsCopy from '../../copy/lists'
import * as navigationCopy from '../../copy/navigation'
import { ListPage } from '../../domain/lists/ListPage'
import { volumeColumns } from '../../domain/lists/volumeColumns'
import { TOLD_PX } from '../../kit/table/Told'

/** Every array volume with the newest numbers of both sides. */
export default function VolumesPage() {
  return (
    <ListPage
      kind="volumes"
      title={navigationCopy.volumes}
      noun={diagnosisCopy.volume}
      columns={volumeColumns}
      narrowRowPx={TOLD_PX}
      empty={{ title: listsCopy.noVolumes, text: listsCopy.noVolumesText }}
    />
  )
}
