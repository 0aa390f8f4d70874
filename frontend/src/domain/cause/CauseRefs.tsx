import type { CauseObject } from '../../api/types'
import { Name, NameLink } from '../../kit/text/Name'
import { addressOf, EntityLink } from '../object/EntityLink'

/**
 * The object as a sentence calls it, leading to its page, or to that of what holds it: a device has a name of digits and no page. Several
 * of one kind, such as the hosts of a path, are named one by one.
 */
export function CauseRefs({ object: { name, refs } }: { object: CauseObject }) {
  const [first] = refs
  if (first !== undefined && refs.length > 1 && refs.every(({ kind }) => kind === first.kind))
    return (
      <span className="inline wrap baseline narrow gap-words">
        {refs.map((ref) => (
          <EntityLink key={ref.id} to={ref} />
        ))}
      </span>
    )
  const address = refs.map(addressOf).findLast((one) => one !== null)
  return address === undefined || address === null ? (
    <Name whole>{name}</Name>
  ) : (
    <NameLink to={address}>{name}</NameLink>
  )
}
