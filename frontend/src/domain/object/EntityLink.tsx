/** A link to an object's page; the time window goes along. Kinds without a page are plain names. */

import type { Ref } from '../../api/types'
import { Name, NameLink } from '../../kit/text/Name'
import { kindOfSubject } from '../kinds'

/** The address of an object's page, or null when it has none. */
export function addressOf(ref: Pick<Ref, 'kind' | 'id'>): string | null {
  const kind = kindOfSubject(ref.kind)
  if (kind) return `/${kind.id}/${ref.id}`
  return ref.kind === 'source' ? '/sources' : null
}

export function EntityLink({ to }: { to: Ref }) {
  const address = addressOf(to)
  if (address === null) return <Name focusable>{to.name}</Name>
  return <NameLink to={address}>{to.name}</NameLink>
}

/** Several links in a cell: the first ones, then how many more. */
export function EntityLinks({ to, most = 2 }: { to: readonly Ref[]; most?: number }) {
  const shown = to.slice(0, most)
  return (
    <span className="row narrow gap-8">
      {shown.map((ref) => (
        <EntityLink key={`${ref.kind}-${ref.id}`} to={ref} />
      ))}
      {to.length > most && <span className="muted">+{to.length - most}</span>}
    </span>
  )
}
