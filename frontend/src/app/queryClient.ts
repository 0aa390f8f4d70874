import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../lib/errors'

const RETRY_MS = 15_000

/** Waiting does not help after a refusal, except one for too many requests (429). */
function mayHelpToRetry(error: Error): boolean {
  if (!(error instanceof ApiError) || error.status === null || error.status === 429) return true
  return error.status < 400 || error.status >= 500
}

/** New data comes from the live stream's invalidations; a failed read is tried again until it works. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: false,
        refetchOnWindowFocus: true,
        refetchInterval: ({ state }) => (state.error !== null && mayHelpToRetry(state.error) ? RETRY_MS : false),
      },
    },
  })
}
