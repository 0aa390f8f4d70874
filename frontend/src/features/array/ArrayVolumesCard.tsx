/** The volumes of one array, the slowest first: as the array itself times them, page by page. */

import { useMemo } from 'react'
import { listQuery, type ListPage as Rows } from '../../api/queries'
import type { ArrayOut, VolumeRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as listsCopy from '../../copy/lists'
import * as objectsCopy from '../../copy/objects'
import { useServerRows } from '../../domain/lists/useServerRows'
import { settingsOnly } from '../../domain/lists/volumeColumns'
import { FILTER, VOLUMES_SORT } from '../../domain/parameters'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import { NameFilter } from '../../kit/table/NameFilter'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { useParameter } from '../../lib/url'
import { arrayVolumeColumns } from './arrayVolumeColumns'

/** While they are read, their columns stand already. */
const READING_ROWS = 6
const nothing = () => undefined

/** `isLive`: with the counters of the last minute. */
export function ArrayVolumesCard({ array, isLive }: { array: ArrayOut; isLive: boolean }) {
  const [search, setSearch] = useParameter(FILTER)
  const [sort, setSort] = useParameter(VOLUMES_SORT)
  const params = useMemo(
    () => ({ filters: { search, source: array.source.id }, sort, window: null }),
    [search, sort, array.source.id],
  )
  const { query, rowAt, onWindow } = useServerRows<VolumeRow, Rows<VolumeRow>>(
    (offset) => listQuery('volumes', params, offset) as never,
  )
  const hasPods = array.pod_list.length > 0
  const columns = useMemo(() => {
    const all = arrayVolumeColumns(hasPods)
    return isLive ? all : settingsOnly(all)
  }, [hasPods, isLive])
  return (
    <Card
      title={commonCopy.volumes}
      hint={isLive ? objectsCopy.arrayVolumesHint : undefined}
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
