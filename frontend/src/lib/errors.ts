/** What went wrong with a call, in words a person can act on. */

import * as errorsCopy from '../copy/errors'

/** What is wrong with one field of what was sent. */
export interface FieldProblem {
  field: string
  message: string
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly what: string
  /** HTTP status, or null when no answer came at all. */
  readonly status: number | null
  readonly fields: readonly FieldProblem[]

  constructor(
    what: string,
    detail: string,
    status: number | null,
    fields: readonly FieldProblem[] = [],
    cause?: unknown,
  ) {
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

/** It cannot be answered as it was asked: trying again does not help. */
export const isUnusable = (error: Error): boolean => error instanceof ApiError && error.status === 422

/** "No answer from Gavel", or "No numbers from Gavel" where it answers, but with nothing. */
export const lostWords = (error: Error): string =>
  error instanceof ApiError && error.status !== null ? errorsCopy.noData : errorsCopy.noResponse

export const isLate = (cause: unknown): boolean => cause instanceof Error && cause.name === 'TimeoutError'
