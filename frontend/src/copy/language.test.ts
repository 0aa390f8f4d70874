/** The house's language, of which copy/help.ts holds the glossary: words that no page shows, and text that stands nowhere but in copy/. */

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '..')
const COPY = import.meta.dirname

/** Of a dialect, or of another English than the pages’. */
const FORBIDDEN =
  /\b(surely|perhaps|probably|told|tell|tells|said|judged?|needlessly|nobody|somebody|estate|los(e|es|ing) time|lost per|verdicts?|certain|certainly|certainty|undetermined|healthy|grades?|wait needlessly|I\/Os inside|in flight|I\/O-time|on their way|who takes part|not told apart|newest|brought|at hand|no news|strangers?|owed|overtaken|breach|found late|at worst|as it should be|all the same|expected \(|over expected|coverage|impact|colour|grey|neighbour\w*|metres?|behaviour\w*|centre)\b/i

/** Names, comments and styles have one spelling, that of the pages: who searches for a color finds all of them. */
const BRITISH =
  /colour|grey(?!list)|\bcentre|\bmetres?\b|neighbour|behaviour|favour|honour|licence|catalogue|\banalys(?:e|ed|ing)\b|(?:initial|normal|optim|organ|recogn|serial|summar|synchron|visual)is(?:e|ing|ation)/i
/** Written by programs, and this list. */
const NOT_SPELLED_HERE = /schema\.d\.ts$|language\.test\.ts$/

const UPPER_CASE_TERMS = /^(?:[A-Z]{2,}|I\/O|FlashArray|Gavel|VMkernel|vCenter|QoS|CycloneDX)/

interface Found {
  file: string
  text: string
}

type Node = { type?: string; [key: string]: unknown }

function filesIn(folder: string, ending: RegExp, { withTests = false } = {}): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && (withTests || !/\.test\./.test(name)))
    .map((name) => join(folder, name))
}

function treeOf(path: string): Node {
  const { program, errors } = parseSync(path, readFileSync(path, 'utf8'))
  expect(errors).toEqual([])
  return program as unknown as Node
}

function nodesOf(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) nodesOf(one, visit)
  else if (typeof node === 'object' && node !== null) {
    visit(node as Node)
    for (const value of Object.values(node)) if (typeof value === 'object') nodesOf(value, visit)
  }
}

/** Strings and the fixed parts of templates. */
function textsOf(path: string): string[] {
  const texts: string[] = []
  nodesOf(treeOf(path), (node) => {
    if (node.type === 'Literal' && typeof node.value === 'string') texts.push(node.value)
    if (node.type === 'TemplateElement') texts.push((node.value as { cooked: string }).cooked)
  })
  return texts
}

const ATTRIBUTES =
  /^(aria-label|title|label|placeholder|hint|description|text|alt|word|words|header|noun|empty|none|legend|todo|what|of)$/
/** Words that are no words: an example of an input, a unit. */
const NO_TEXT = new Set(['https://', 'prod-*'])

/** Text between tags, and in attributes that are read. */
function jsxTextsOf(path: string): string[] {
  const texts: string[] = []
  nodesOf(treeOf(path), (node) => {
    if (node.type === 'JSXText') texts.push(String(node.value))
    if (node.type === 'JSXAttribute' && ATTRIBUTES.test(String((node.name as Node).name))) {
      const value = node.value as Node | null
      if (value?.type === 'Literal') texts.push(String(value.value))
    }
  })
  return texts.map((text) => text.trim()).filter((text) => /\p{L}/u.test(text) && !NO_TEXT.has(text))
}

const copyFiles = filesIn(COPY, /\.ts$/)
const pageFiles = filesIn(SOURCES, /\.tsx$/)

describe('language of the pages', () => {
  it('forbidden words: finds those that it is for, and none in copy/', () => {
    expect('3 of 14 datastores lose time').toMatch(FORBIDDEN)
    expect('Latency breakdown').not.toMatch(FORBIDDEN)
    const found: Found[] = copyFiles.flatMap((file) =>
      textsOf(file).flatMap((text) => (FORBIDDEN.test(text) ? [{ file: relative(COPY, file), text }] : [])),
    )
    expect(copyFiles.length).toBeGreaterThan(15)
    expect(found).toEqual([])
  })

  it('spelling: American in names, comments and styles too', () => {
    expect('the LineColour of a neighbour').toMatch(BRITISH)
    const files = ['..', '../../e2e', '../../scripts']
      .flatMap((folder) => filesIn(join(COPY, folder), /\.(tsx?|css|mjs)$/, { withTests: true }))
      .filter((file) => !NOT_SPELLED_HERE.test(file))
    const found = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          BRITISH.test(line) ? [`${relative(SOURCES, file)}:${index + 1} ${line.trim()}`] : [],
        ),
    )
    expect(files.length).toBeGreaterThan(400)
    expect(found).toEqual([])
  })

  it('text of pages: stands in copy/, not in components', () => {
    const found: Found[] = pageFiles.flatMap((file) =>
      jsxTextsOf(file).map((text) => ({ file: relative(SOURCES, file), text })),
    )
    expect(pageFiles.length).toBeGreaterThan(100)
    expect(found).toEqual([])
  })

  it('counted words: come from copy/, too', () => {
    const found = filesIn(SOURCES, /\.tsx?$/).flatMap(
      (file) => readFileSync(file, 'utf8').match(/\bplural\([^()]*(?:\([^()]*\))?[^()]*, '\w+'/g) ?? [],
    )
    expect("plural(hosts, 'host')").toMatch(/\bplural\([^()]*, '\w+'/)
    expect(found).toEqual([])
  })

  it('labels: sentence case', () => {
    const found = copyFiles.flatMap((file) =>
      textsOf(file)
        .filter((text) => /^\p{L}+( \p{L}+){1,2}$/u.test(text))
        .filter((text) =>
          text
            .split(' ')
            .slice(1)
            .some((word) => /^\p{Lu}/u.test(word) && !UPPER_CASE_TERMS.test(word)),
        ),
    )
    expect(found).toEqual([])
  })
})
