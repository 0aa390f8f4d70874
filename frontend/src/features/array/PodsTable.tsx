/** The pods of an array, and over which arrays they are stretched. */

import { useMemo } from 'react'
import type { ArrayOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as objectsCopy from '../../copy/objects'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { Names } from '../../kit/text/Names'

type Pod = ArrayOut['pod_list'][number]

const ALONE = objectsCopy.thisArrayOnly

export function PodsTable({ pods }: { pods: readonly Pod[] }) {
  const columns = useMemo<Column<Pod>[]>(
    () => [
      {
        id: 'name',
        header: objectsCopy.pod,
        width: 200,
        grow: true,
        cell: ({ name }) => <Name focusable>{name}</Name>,
      },
      {
        id: 'stretched',
        header: objectsCopy.podMembers,
        width: 300,
        grow: true,
        compact: 'bare',
        cell: ({ stretched, arrays }) =>
          stretched ? <Names names={arrays.map(({ name }) => name)} between=" and " /> : ALONE,
      },
      {
        id: 'volumes',
        header: commonCopy.volumes,
        width: 100,
        align: 'right',
        cell: ({ volumes }) => volumes,
      },
    ],
    [],
  )
  return <VirtualTable label={objectsCopy.pods} columns={columns} count={pods.length} rowAt={(index) => pods[index]} />
}
