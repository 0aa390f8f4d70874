/** Parameters of addresses: each has a name, its values, and what stands for it where the address does not name it. */

import * as addressCopy from '../copy/address'
import { PRESETS } from './range'
import { isRelative } from './relativeRange'

export interface Parameter<Value extends string = string> {
  name: string
  /** What is shown without it; left out of the address. */
  fallback: Value
  /** Undefined: no value of this parameter. */
  parse: (text: string) => Value | undefined
  /** What it takes, in words. */
  takes: string
}

/** One of a few words. */
export function choice<const Value extends string, const Fallback extends Value | ''>(
  name: string,
  values: readonly Value[],
  fallback: Fallback,
): Parameter<Value | Fallback> {
  return {
    name,
    fallback,
    parse: (text) => values.find((value) => value === text),
    takes: values.join(', '),
  }
}

const LONGEST = 400

/** Any text. */
export const text = (name: string, fallback = ''): Parameter => ({
  name,
  fallback,
  parse: (given) => (given.length <= LONGEST ? given : undefined),
  takes: addressCopy.takesText(LONGEST),
})

/** A number of something, or of units. */
export const number = (name: string): Parameter => ({
  name,
  fallback: '',
  parse: (given) => (/^\d{1,15}(\.\d{1,6})?$/.test(given) ? given : undefined),
  takes: addressCopy.takesNumber,
})

const instant = (name: string): Parameter => ({
  name,
  fallback: '',
  parse: (given) => (isRelative(given) || Number.isFinite(Date.parse(given)) ? given : undefined),
  takes: addressCopy.takesInstant,
})

/** The time range, which follows the viewer from page to page. */
const RANGE_PARAMETERS: readonly Parameter[] = [choice('last', PRESETS, ''), instant('from'), instant('to')]

/** Lines that are switched off, by their keys. */
export const HIDDEN_LINES = text('hide')

/** Columns of a table in their order, by their ids; empty: as its viewer chose before, or as the table is by itself. */
export const COLUMNS = text('columns')

export interface AddressProblem {
  name: string
  value: string
  /** What the parameter takes; null: the page has no such parameter. */
  takes: string | null
}

type Search = Readonly<Record<string, string | undefined>>

/** What of an address a page does not know or cannot read, in the order of the address. */
export function addressProblems(search: Search, parameters: readonly Parameter[]): AddressProblem[] {
  const known = new Map([...RANGE_PARAMETERS, ...parameters].map((one) => [one.name, one]))
  const problems = Object.entries(search).flatMap(([name, value = '']): AddressProblem[] => {
    const parameter = known.get(name)
    if (parameter === undefined) return [{ name, value, takes: null }]
    return parameter.parse(value) === undefined ? [{ name, value, takes: parameter.takes }] : []
  })
  return problems.length === 0 ? rangeProblems(search) : problems
}

/** A start without an end, an end before its start, and two ranges at once. */
function rangeProblems({ last, from, to }: Search): AddressProblem[] {
  if (from === undefined && to === undefined) return []
  if (from === undefined || to === undefined) {
    const [name, value = ''] = from === undefined ? ['to', to] : ['from', from]
    return [{ name, value, takes: addressCopy.takesBoth }]
  }
  if (Date.parse(to) - Date.parse(from) < 60_000) return [{ name: 'to', value: to, takes: addressCopy.takesLaterEnd }]
  return last === undefined ? [] : [{ name: 'last', value: last, takes: addressCopy.takesOneRange }]
}
