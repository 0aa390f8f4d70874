import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { findingCountsQuery } from '../../api/findings'
import type { EntityKind } from '../../api/queries'
import * as sectionsCopy from '../../copy/sections'
import { formatCount } from '../../lib/units'
import { KIND } from '../kinds'

/** How many findings of an object are open; nothing for none. */
export function TabCount({ kind, id }: { kind: EntityKind; id: number }) {
  const { data } = useQuery(findingCountsQuery(KIND[kind].subject))
  const own = data?.find((one) => one.id === id)
  if (own === undefined) return null
  return (
    <span className="pill size-note numeric" style={{ display: 'inline-block', marginLeft: 6 }}>
      <span aria-hidden="true">{formatCount(own.open)}</span>
      <VisuallyHidden> {sectionsCopy.openFindings(formatCount(own.open))}</VisuallyHidden>
    </span>
  )
}
