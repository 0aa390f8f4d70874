/** Answers, and what came in place of one, as errors. */

import * as errorsCopy from '../copy/errors'
import { ApiError, isLate } from '../lib/errors'
import type { Problem } from './types'

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'detail' in body && typeof body.detail === 'string'
}

/** An error answer as an `ApiError`. A proxy's HTML page has no problem body: then the status has to do. */
export function answerError(what: string, response: Response, body: unknown): ApiError {
  if (isProblem(body)) return new ApiError(what, body.detail, response.status, body.errors ?? [])
  return new ApiError(what, errorsCopy.unexplained(response.status), response.status)
}

/** A call that got no answer: the network, a stopped server or the deadline. */
export function unreachableError(what: string, cause: unknown, deadline_s: number): ApiError {
  const detail = isLate(cause) ? errorsCopy.timeout(deadline_s) : errorsCopy.unreachable
  return new ApiError(what, detail, null, [], cause)
}
