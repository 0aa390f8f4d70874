/** The volumes of one array, the slowest first: as the array itself times them, page by page. */

import { useMemo } from 'react'
import { listQuery, type ListPage as Rows } from '../../api/queries'
import type { ArrayOut, VolumeRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as listsCopy from '../../copy/lists'
import * as objectsCopy from '../../copy/objects'
import { useServerRows } from '../../domain/lists/useServerRows'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import { NameFilter } from '../../kit/table/NameFilter'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { useSearchParameter } from '../../lib/url'
import { arrayVolumeColumns } from './arrayVolumeColumns'

/** While they are read, their columns stand already. */
const READING_ROWS = 6
const nothing = () => undefined

export function ArrayVolumesCard({ array }: { array: ArrayOut }) {
  const [search, setSearch] = useSearchParameter('q', '')
  const [sort, setSort] = useSearchParameter('sort', '-latency')
  const params = useMemo(() => ({ search, sort, source: array.source.id }), [search, sort, array.source.id])
  const { query, rowAt, onWindow } = useServerRows<VolumeRow, Rows<VolumeRow>>(
    (offset) => listQuery('volumes', params, offset) as never,
  )
  const columns = useMemo(() => arrayVolumeColumns(array.pod_list.length > 0), [array.pod_list.length])
  return (
    <Card
      title={commonCopy.volumes}
      hint={objectsCopy.arrayVolumesHint}
      actions={
        <NameFilter
          noun={diagnosisCopy.volume}
          value={search}
          onChange={(text) => setSearch(text, { replace: true })}
        />
      }
      flush
    >
      <DataState
        query={query}
        skeleton={
          <VirtualTable<VolumeRow> label={commonCopy.volumes} columns={columns} count={READING_ROWS} rowAt={nothing} />
        }
        empty={({ total }) =>
          total > 0
            ? null
            : search === ''
              ? {
                  title: objectsCopy.noVolumes,
                  text: objectsCopy.noVolumesText,
                }
              : { title: objectsCopy.noVolumeMatch, text: listsCopy.nothingLike(search) }
        }
      >
        {({ total }) => (
          <VirtualTable
            label={commonCopy.volumes}
            columns={columns}
            count={total}
            rowAt={rowAt}
            sort={sort}
            onSort={setSort}
            onWindow={onWindow}
          />
        )}
      </DataState>
    </Card>
  )
}
