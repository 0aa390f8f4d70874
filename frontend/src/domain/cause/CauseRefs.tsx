import type { CauseObject } from '../../api/types'
import { Name } from '../../kit/text/Name'
import { EntityLink } from '../object/EntityLink'
import styles from './Cause.module.css'

/** The object with what holds it, outermost first; those that have a page lead to it. */
export function CauseRefs({ object }: { object: CauseObject }) {
  if (object.refs.length === 0) return <Name whole>{object.name}</Name>
  return (
    <span className={styles.refs}>
      {object.refs.map((ref) => (
        <span key={`${ref.kind}-${ref.id}`} className={styles.ref}>
          <EntityLink to={ref} />
        </span>
      ))}
    </span>
  )
}
