import { ListPage } from '../../components/entity/ListPage'
import { volumeColumns } from '../../components/entity/volumeColumns'

/** Every array volume with the newest numbers of both sides. */
export default function VolumesPage() {
  return (
    <ListPage
      kind="volumes"
      title="Volumes"
      noun="volume"
      columns={volumeColumns}
      empty={{ title: 'No volume is known yet', text: 'Volumes come from arrays. Add a FlashArray under Sources.' }}
    />
  )
}
