import { Skeleton } from '@mantine/core'

/** In place of the chart of both sides, and as tall, so that nothing moves when the numbers come. */
export function SeriesSkeleton() {
  return <Skeleton height={930} />
}
