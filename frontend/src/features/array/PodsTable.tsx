/** The pods of an array, and over which arrays they are stretched. */

import { useMemo } from 'react'
import type { ArrayOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as objectsCopy from '../../copy/objects'
import { Stacked, TOLD_PX } from '../../kit/table/Told'
import { type Column, VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { Names } from '../../kit/text/Names'
import { plural } from '../../lib/text'

type Pod = ArrayOut['pod_list'][number]

const ALONE = objectsCopy.thisArrayOnly

export function PodsTable({ pods }: { pods: readonly Pod[] }) {
  const columns = useMemo<Column<Pod>[]>(
    () => [
      {
        id: 'told',
        header: objectsCopy.podArrays,
        width: 300,
        grow: true,
        narrowOnly: true,
        cell: (pod) => <Stacked of={<Name focusable>{pod.name}</Name>} lines={podLines(pod)} />,
      },
      {
        id: 'name',
        header: objectsCopy.pod,
        width: 200,
        grow: true,
        from: 700,
        cell: ({ name }) => <Name focusable>{name}</Name>,
      },
      {
        id: 'stretched',
        header: objectsCopy.podMembers,
        width: 300,
        grow: true,
        from: 700,
        cell: ({ stretched, arrays }) =>
          stretched ? <Names names={arrays.map(({ name }) => name)} between=" and " /> : ALONE,
      },
      {
        id: 'volumes',
        header: commonCopy.volumes,
        width: 100,
        align: 'right',
        from: 700,
        cell: ({ volumes }) => volumes,
      },
    ],
    [],
  )
  return (
    <VirtualTable
      label={objectsCopy.pods}
      columns={columns}
      count={pods.length}
      rowAt={(index) => pods[index]}
      narrowRowPx={TOLD_PX}
    />
  )
}

/** Each array in a line of its own: what tells two of them apart is at their end. */
function podLines({ stretched, arrays, volumes }: Pod) {
  const over = stretched
    ? arrays.map(({ id, name }, index) => (
        <Names key={id} lead={index === 0 ? 'over ' : 'and '} names={[name]} between="" />
      ))
    : [ALONE]
  return [...over, plural(volumes, diagnosisCopy.volume)]
}
