/** What the server found wrong with a form, at the fields it named. */

import * as formsCopy from '../../copy/forms'
import { ApiError } from '../../lib/errors'

const SETTINGS = 'settings.'

/** Problems by field path. What was wrong with the body as a whole is named from its inside. */
export function serverProblems(error: Error | null): Map<string, string> {
  if (!(error instanceof ApiError)) return new Map()
  return new Map(error.fields.map(({ field, message }) => [field.replace(/^body\./, ''), message]))
}

/** The problems of the settings alone, without their prefix. */
export function settingProblemsOf(problems: ReadonlyMap<string, string>): Map<string, string> {
  const own = [...problems].filter(([field]) => field.startsWith(SETTINGS))
  return new Map(own.map(([field, message]) => [field.slice(SETTINGS.length), message]))
}

/** Problems of the form's own check: of the settings, and a name that is missing. */
export function ownProblems(name: string, settings: ReadonlyMap<string, string>): Map<string, string> {
  const problems = new Map([...settings].map(([field, message]) => [SETTINGS + field, message]))
  if (name.trim() === '') problems.set('name', formsCopy.nameRequired)
  return problems
}
