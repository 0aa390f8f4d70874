/** What went wrong with a call, in words a person can act on. */

import * as errorsCopy from '../copy/errors'
import type { Problem } from './types'

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly what: string
  /** HTTP status, or null when no answer came at all. */
  readonly status: number | null
  readonly fields: Problem['errors']

  constructor(what: string, detail: string, status: number | null, fields: Problem['errors'] = [], cause?: unknown) {
    super(detail, { cause })
    this.what = what
    this.status = status
    this.fields = fields
  }
}

/** No answer at all; an answer that only takes too long may be one question's own fault. */
export const isUnreachable = (error: Error): boolean =>
  error instanceof ApiError && error.status === null && !isLate(error.cause)

const AWAY = new Set([502, 503, 504])

/** Gavel, its database or a proxy before it is away: nothing is wrong with what was asked. */
export const isAway = (error: Error): boolean =>
  error instanceof ApiError && (error.status === null || AWAY.has(error.status))

/** What was asked for is not there. */
export const isMissing = (error: Error): boolean => error instanceof ApiError && error.status === 404

/** "No answer from Gavel", or "No numbers from Gavel" where it answers, but with nothing. */
export const lostWords = (error: Error): string =>
  error instanceof ApiError && error.status !== null ? errorsCopy.noData : errorsCopy.noResponse

const isLate = (cause: unknown): boolean => cause instanceof Error && cause.name === 'TimeoutError'

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
