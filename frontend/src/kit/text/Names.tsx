import { Fragment } from 'react'
import { Name } from './Name'
import styles from './Names.module.css'

interface NamesProps {
  names: readonly string[]
  /** What stands between two of them. */
  between: string
  /** Words before the first, which are not cut. */
  lead?: string
}

/** Several names in one line, each of them cut in its own middle: cut as one, they lose just what tells them apart. */
export function Names({ names, between, lead = '' }: NamesProps) {
  return (
    <span className={`${styles.names} flex narrow`}>
      {lead !== '' && <span className={styles.between}>{lead}</span>}
      {names.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two sources may have one name, and their order is theirs
        <Fragment key={index}>
          {index > 0 && <span className={styles.between}>{between}</span>}
          <Name focusable>{name}</Name>
        </Fragment>
      ))}
    </span>
  )
}
