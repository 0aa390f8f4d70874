/** An alert that is still being read: the parts of its page under their headings. */

import { Skeleton } from '@mantine/core'
import * as alertsCopy from '../../copy/alerts'
import * as breakdownCopy from '../../copy/breakdown'
import { Card } from '../../kit/layout/Card'
import styles from './AlertPage.module.css'

/** About as wide as the lines of the head: what, marks, diagnosis, limit, why, now. */
const HEAD = [
  ['30%', 22],
  ['45%', 14],
  ['70%', 20],
  ['40%', 14],
  ['60%', 14],
  ['55%', 14],
] as const

export function AlertSkeleton() {
  return (
    <div className="stack gap-16">
      <div className={`${styles.head} surface stack breaks gap-8`}>
        {HEAD.map(([width, height], line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name and keep their place
          <Skeleton key={line} width={width} height={height} />
        ))}
      </div>
      {[alertsCopy.timeline, alertsCopy.deliveries, alertsCopy.details].map((title) => (
        <Card key={title} title={title}>
          <Skeleton height={14} mb={12} width="70%" />
          <Skeleton height={14} mb={12} width="60%" />
          <Skeleton height={14} width="65%" />
        </Card>
      ))}
      <Card title={breakdownCopy.latencyOverTime}>
        <Skeleton height={640} />
      </Card>
    </div>
  )
}
