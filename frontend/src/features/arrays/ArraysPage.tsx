import type { ArrayRow } from '../../api/types'
import { EntityLink } from '../../components/EntityLink'
import { ListPage } from '../../components/entity/ListPage'
import { sidesColumns, toldColumn } from '../../components/entity/sidesColumns'
import type { Column } from '../../components/table/VirtualTable'

const count = (id: 'volumes' | 'pods' | 'hosts', header: string): Column<ArrayRow> => ({
  id,
  header,
  width: 80,
  align: 'right',
  from: 1200,
  cell: (row) => <span className="numeric">{row[id]}</span>,
})

export const arrayColumns = (max_us: number): Column<ArrayRow>[] => [
  toldColumn<ArrayRow>({ header: 'Array', kind: 'array', leads: 'array' }),
  {
    id: 'name',
    header: 'Array',
    width: 180,
    grow: true,
    from: 700,
    sortKey: 'name',
    cell: ({ id, name }) => <EntityLink to={{ kind: 'array', id, name }} />,
  },
  {
    id: 'model',
    header: 'Model',
    width: 110,
    from: 700,
    cell: ({ model }) => model ?? <span className="faint">not read</span>,
  },
  { id: 'purity', header: 'Purity', width: 90, from: 1600, cell: ({ purity_version }) => purity_version },
  count('volumes', 'Volumes'),
  count('hosts', 'Hosts'),
  ...sidesColumns<ArrayRow>(max_us, 'array'),
]

/** Every array with the newest numbers of both sides. */
export default function ArraysPage() {
  return (
    <ListPage
      kind="arrays"
      title="Arrays"
      noun="array"
      columns={arrayColumns}
      empty={{ title: 'No array is known yet', text: 'Arrays come from FlashArray sources. Add one under Sources.' }}
    />
  )
}
