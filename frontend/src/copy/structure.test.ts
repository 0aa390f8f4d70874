/** The API gives structure, and pages show its strings as they are: nothing here learns from a text what a field could say. */

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '..')

/** By these a text is taken to pieces or asked for its beginning; `slice` and `includes` are of lists, too. */
const PARSERS = new Set([
  'split',
  'match',
  'matchAll',
  'replace',
  'replaceAll',
  'search',
  'exec',
  'startsWith',
  'endsWith',
  'charAt',
  'substring',
  'substr',
])

/** Who may, and why: none of it is a sentence, a name or a label of the API. */
const ALLOWED: Record<string, string> = {
  // Addresses and what is stored in them.
  'api/diagnoses.ts': 'the order in an address, "-excess"',
  'lib/parameters.ts': 'numbers in an address',
  'kit/chart/timeChart.ts': 'the hidden lines in an address',
  'kit/table/sort.ts': 'the order in an address, "-excess"',
  'kit/table/columnChoice.ts': 'the columns in an address and in the browser',
  'features/wall/boards.ts': 'the boards in an address',
  'domain/object/group.ts': 'a group in an address',
  'features/whatif/ScenarioCard.tsx': 'a number that is typed',
  'features/whatif/scenario.ts': 'an object in an address',
  'lib/url.ts': 'the address itself',
  // What somebody types.
  'kit/form/SchemaForm.tsx': 'lines that are typed',
  'features/alerts/rules/draft.ts': 'a key from a name that is typed',
  'features/alerts/silences/matchers.ts': 'a pattern that is typed',
  'features/alerts/silences/when.ts': 'a time of day that is typed, and one that Intl writes',
  'lib/relativeRange.ts': 'times before now in an address',
  'lib/typedRange.ts': 'a time range that is typed',
  'lib/time.ts': 'a time that is typed, and one that Date writes',
  'lib/wallScreen.ts': 'numbers that are typed',
  'features/sources/agents.ts': 'names of VMs that are typed',
  'domain/testRuns/withLogs.ts': 'names of files that are chosen',
  // Paths in JSON: addresses of a schema and of the field that an error is about.
  'kit/form/MoreSettings.tsx': 'the path of a field',
  'kit/form/problems.ts': 'the path of a field',
  'kit/form/schema.ts': 'a reference in a JSON schema, and names of settings without a title',
  // How texts and names are set: nothing is learned from them.
  'kit/text/Worded.tsx': 'commands between back-ticks, as in Markdown',
  'kit/chart/download.ts': 'the name of a file',
  'kit/chart/fitLabels.ts': 'labels that the chart was given by treemap.ts',
  'domain/counters/EvidenceCard.tsx': 'where the name of a counter may break',
  'domain/diagnosis/unbroken.ts': 'where a sentence may not break',
  'charts/limits.ts': 'where words break',
  'charts/timePanels.ts': 'a hint of copy/, cut where a clause ends',
  'charts/tokens.ts': 'the style sheet',
  'charts/treemap.ts': 'characters that a chart would take for its own',
  'lib/csv.ts': 'quotes of a CSV file',
  'lib/text.ts': 'characters of names that have to be seen, domains that are cut first, capitals of own words',
  'lib/units.ts': 'what its own formatters say',
  // Not of the API at all.
  'app/PageStates.tsx': 'the words in which browsers say that a file is gone',
}

type Node = { type?: string; [key: string]: unknown }

function nodesOf(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) nodesOf(one, visit)
  else if (typeof node === 'object' && node !== null) {
    visit(node as Node)
    for (const value of Object.values(node)) if (typeof value === 'object') nodesOf(value, visit)
  }
}

/** "split", "a regular expression": how a source takes texts to pieces. */
function parsersIn(path: string, source: string): string[] {
  const { program, errors } = parseSync(path, source)
  expect(errors).toEqual([])
  const found: string[] = []
  nodesOf(program, (node) => {
    if (node.type === 'Literal' && 'regex' in node && node.regex !== undefined) found.push('a regular expression')
    if (node.type === 'NewExpression' && (node.callee as Node).name === 'RegExp') found.push('a regular expression')
    if (node.type !== 'CallExpression') return
    const callee = node.callee as Node
    const name = callee.type === 'MemberExpression' ? String((callee.property as Node).name) : ''
    if (PARSERS.has(name)) found.push(name)
  })
  return [...new Set(found)]
}

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/\.(test|stories|d)\.tsx?$/.test(name) && !name.startsWith('testing'))
  .map((name) => join(SOURCES, name))

const parsing = new Map(
  files
    .map((file) => [relative(SOURCES, file), parsersIn(file, readFileSync(file, 'utf8'))] as const)
    .filter(([, found]) => found.length > 0),
)

describe('texts of the API', () => {
  it('parsers: finds what takes a text to pieces', () => {
    const pieces = "export const a = (s: string) => s.split(':')[0]; export const b = /^Normal: /; new RegExp('x')"
    expect(parsersIn('a.ts', pieces)).toEqual(['split', 'a regular expression'])
    expect(parsersIn('a.ts', "export const a = (s: string) => s.startsWith('healthy')")).toEqual(['startsWith'])
    expect(parsersIn('a.ts', 'export const a = (s: string[]) => s.slice(1)')).toEqual([])
  })

  it('parsers: stand only where something else than a text of the API is read', () => {
    expect(files.length).toBeGreaterThan(250)
    const found = [...parsing].filter(([file]) => !(file in ALLOWED)).map(([file, how]) => `${file}: ${how.join(', ')}`)
    expect(found).toEqual([])
  })

  it('parsers: no file is allowed them that has none', () => {
    expect(Object.keys(ALLOWED).filter((file) => !parsing.has(file))).toEqual([])
  })
})
