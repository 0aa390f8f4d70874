import { Skeleton, Stack } from '@mantine/core'

/** In place of a card's content, as tall as it will be. */
export function CardSkeleton({ height }: { height: number }) {
  return <Skeleton height={height} />
}

/** In place of verdict and charts, so that nothing moves when they come. */
export function VerdictSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton height={286} />
      <Skeleton height={470} />
    </Stack>
  )
}
