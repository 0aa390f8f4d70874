import { ListPage } from '../../domain/lists/ListPage'
import { volumeColumns } from '../../domain/lists/volumeColumns'

/** Every array volume with the newest numbers of both sides. */
export default function VolumesPage() {
  return <ListPage kind="volumes" columns={volumeColumns} />
}
