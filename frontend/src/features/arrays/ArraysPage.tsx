import type { ArrayRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import { ListPage } from '../../domain/lists/ListPage'
import { sidesColumns } from '../../domain/lists/sidesColumns'
import { EntityLink } from '../../domain/object/EntityLink'
import type { Column } from '../../kit/table/Column'
import { visibleName } from '../../lib/text'

const count = (id: 'volumes' | 'pods' | 'hosts', header: string): Column<ArrayRow> => ({
  id,
  header,
  width: 80,
  align: 'right',
  priority: 3,
  csv: (row) => row[id],
  cell: (row) => <span className="numeric">{row[id]}</span>,
})

export const arrayColumns = (max_us: number): Column<ArrayRow>[] => [
  {
    id: 'name',
    header: commonCopy.array,
    width: 180,
    grow: true,
    sortKey: 'name',
    csv: ({ name }) => visibleName(name),
    cell: ({ id, name }) => <EntityLink to={{ kind: 'array', id, name }} />,
  },
  {
    id: 'model',
    header: objectsCopy.model,
    width: 110,
    csv: ({ model }) => model,
    cell: ({ model }) => model ?? <span className="faint">{objectsCopy.notCollected}</span>,
  },
  {
    id: 'version',
    header: objectsCopy.version,
    width: 90,
    priority: 4,
    csv: ({ version }) => version,
    cell: ({ version }) => version,
  },
  count('volumes', commonCopy.volumes),
  count('hosts', commonCopy.hosts),
  ...sidesColumns<ArrayRow>(max_us, 'array'),
]

/** Every array with the newest numbers of both sides. */
export default function ArraysPage() {
  return <ListPage kind="arrays" columns={arrayColumns} />
}
