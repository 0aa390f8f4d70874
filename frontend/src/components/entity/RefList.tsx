import type { Ref } from '../../api/types'
import { EntityLink } from '../EntityLink'
import styles from './RefList.module.css'

/** Many links side by side. */
export function RefList({ refs, label }: { refs: readonly Ref[]; label: string }) {
  return (
    <ul className={styles.list} aria-label={label}>
      {refs.map((ref) => (
        <li key={`${ref.kind}-${ref.id}`} className={styles.item}>
          <EntityLink to={ref} />
        </li>
      ))}
    </ul>
  )
}
