import { Skeleton } from '@mantine/core'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import { Card } from '../../kit/layout/Card'

/** In place of a card's content, as tall as it will be. */
export function CardSkeleton({ height }: { height: number }) {
  return <Skeleton height={height} />
}

/** A whole card that is on its way: its heading stands already. */
function ReadingCard({ title, height }: { title: string; height: number }) {
  return (
    <div className="stack" style={{ height, gridTemplateRows: 'minmax(0, 1fr)' }}>
      <Card title={title} hint={commonCopy.loading} fill>
        <Skeleton height="100%" />
      </Card>
    </div>
  )
}

/** In place of the diagnosis, so that nothing moves when it comes. */
export function DiagnosisSkeleton() {
  return <ReadingCard title={diagnosisCopy.title} height={230} />
}
