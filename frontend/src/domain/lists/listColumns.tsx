/** The columns of a list: those of the overview, then what the inventory and the newest minute say of objects of its kind. */

import type { OverviewRow } from '../../api/types'
import type { Column } from '../../kit/table/Column'
import { standingColumns } from './standingColumns'

interface Listed {
  standing: OverviewRow
}

const SORTS = { latency: 'total_latency', iops: 'total_iops' }

/**
 * `own`: the kind's columns, its name first, which is that of the overview. They make way first where there is no room; those of the newest minute are there for a live
 * list only.
 */
export function listColumns<Row extends Listed>(
  title: string,
  own: readonly Column<Row>[],
  options: Pick<Parameters<typeof standingColumns>[2], 'max_us' | 'alertsAt'> & { isLive: boolean },
): Column<Row>[] {
  const standing = standingColumns(title, ({ standing }: Row) => standing, { ...options, sorts: SORTS })
  const [, ...others] = own
  const shown = options.isLive ? others : others.filter(({ isCurrent }) => !isCurrent)
  return [...standing, ...shown.map((column) => ({ ...column, priority: 5 as const }))]
}
