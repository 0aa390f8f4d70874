/** The typed client: one deadline, one kind of error, and the server's clock beside the browser's. */

import createClient from 'openapi-fetch'
import { BASE_PATH } from '../lib/base'
import { noteServerTime } from '../lib/clock'
import { answerError, unreachableError } from './answerErrors'
import type { paths } from './schema'

const DEADLINE_S = 30

export const client = createClient<paths>({ baseUrl: BASE_PATH, credentials: 'same-origin' })

export interface Answer<Data> {
  data?: Data
  error?: unknown
  response: Response
}

type Options = { signal: AbortSignal }

/**
 * Runs one call and answers its data, or throws an `ApiError` that names `what` was tried.
 * `signal` comes from React Query; the deadline is ours, so that nothing hangs.
 */
export async function call<Data>(
  what: string,
  send: (options: Options) => Promise<Answer<Data>>,
  { signal, deadline_s = DEADLINE_S }: { signal?: AbortSignal; deadline_s?: number } = {},
): Promise<Data> {
  const deadline = AbortSignal.timeout(deadline_s * 1000)
  const answer = await send({ signal: signal ? AbortSignal.any([signal, deadline]) : deadline }).catch(
    (cause: unknown) => {
      if (signal?.aborted) throw cause
      throw unreachableError(what, cause, deadline_s)
    },
  )
  noteServerTime(answer.response.headers.get('date'))
  if (!answer.response.ok) throw answerError(what, answer.response, answer.error)
  return answer.data as Data
}
