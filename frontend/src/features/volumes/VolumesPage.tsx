import { ListPage } from '../../components/entity/ListPage'
import { volumeColumns } from '../../components/entity/volumeColumns'
import { TOLD_PX } from '../../components/table/Told'

/** Every array volume with the newest numbers of both sides. */
export default function VolumesPage() {
  return (
    <ListPage
      kind="volumes"
      title="Volumes"
      noun="volume"
      columns={volumeColumns}
      narrowRowPx={TOLD_PX}
      empty={{ title: 'No volume is known yet', text: 'Volumes come from arrays. Add a FlashArray under Sources.' }}
    />
  )
}
