/** What holds for every style sheet: six sizes of letters, four widths of screens, no class that nothing uses. */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MEDIA } from '../lib/breakpoints'

const SOURCES = join(import.meta.dirname, '..')
/** The letters of a wall are measured by its screen; its notes, labels and titles are shares of them. */
const MEASURED = { file: 'features/wall/Wall.module.css', value: 'var(--wall)' }

const filesIn = (ending: RegExp): string[] =>
  readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => ending.test(name))
const textOf = (name: string): string => readFileSync(join(SOURCES, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')

const sheets = filesIn(/\.css$/).map((name) => ({ name, css: textOf(name) }))
const scripts = filesIn(/\.tsx?$/).map((name) => ({ name, text: readFileSync(join(SOURCES, name), 'utf8') }))

/** Names of classes in the selectors of a sheet. */
function classesOf(css: string): Set<string> {
  const selectors = css.match(/[^{};]+(?=\{)/g) ?? []
  return new Set(
    selectors.flatMap((selector) => [...selector.matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, name = '']) => name)),
  )
}

/** Names that scripts ask each sheet for. */
function namesAsked(): Map<string, Set<string>> {
  const asked = new Map<string, Set<string>>()
  for (const { name, text } of scripts)
    for (const [, local = '', path = ''] of text.matchAll(/^import (\w+) from '([^']+\.module\.css)'/gm)) {
      const sheet = relative(SOURCES, resolve(SOURCES, dirname(name), path))
      const names = asked.get(sheet) ?? new Set()
      for (const [, member = ''] of text.replace(/^import .*$/gm, '').matchAll(new RegExp(`\\b${local}\\.(\\w+)`, 'g')))
        names.add(member)
      asked.set(sheet, names)
    }
  return asked
}

describe('styles', () => {
  it('sizes of letters: one of six', () => {
    const tokens = textOf('styles/tokens.css').match(/--gv-size-\w+(?=:)/g) ?? []
    expect(new Set(tokens).size).toBe(6)
    const found = sheets.flatMap(({ name, css }) =>
      [...css.matchAll(/(?<![\w-])font(?:-size)?: ([^;]+);/g)]
        .map(([, value = '']) => value)
        .filter((value) => !(value === 'inherit' || tokens.some((token) => value === `var(${token})`)))
        .filter((value) => !(name === MEASURED.file && value === MEASURED.value))
        .map((value) => `${name}: ${value}`),
    )
    expect(sheets.length).toBeGreaterThan(20)
    expect(found).toEqual([])
  })

  it('widths of screens: one of four, by name', () => {
    expect(Object.keys(MEDIA)).toHaveLength(4)
    const media = sheets.flatMap(({ name, css }) =>
      [...css.matchAll(/@media ([^{]+) \{/g)].map(([, query = '']) => ({ name, query })),
    )
    expect(media.length).toBeGreaterThan(10)
    expect(media.filter(({ query }) => /width|\dpx/.test(query))).toEqual([])
    expect(media.flatMap(({ query }) => query.match(/--[\w-]+/g) ?? []).filter((name) => !(name in MEDIA))).toEqual([])
  })

  it('widths of screens: scripts have them by name, too', () => {
    const asked = scripts.filter(
      ({ name, text }) => /(min|max)-width: ?\d|innerWidth [<>]/.test(text) && !/^testing|test\.ts/.test(name),
    )
    expect(asked.map(({ name }) => name)).toEqual([])
    expect(scripts.some(({ text }) => text.includes("atLeast('phone')"))).toBe(true)
  })

  it('classes: used, and there when used', () => {
    const unused: string[] = []
    const missing: string[] = []
    const asks = namesAsked()
    for (const { name, css } of sheets.filter((sheet) => sheet.name.endsWith('.module.css'))) {
      const [there, asked] = [classesOf(css), asks.get(name) ?? new Set<string>()]
      unused.push(...[...there].filter((one) => !asked.has(one)).map((one) => `${name} .${one}`))
      missing.push(...[...asked].filter((one) => !there.has(one)).map((one) => `${name} .${one}`))
    }
    expect(unused).toEqual([])
    expect(missing).toEqual([])
  })

  it('shared classes: used, and by name', () => {
    const both = sheets.filter(({ name }) => ['styles/shared.css', 'styles/parts.css'].includes(name))
    expect(both).toHaveLength(2)
    const shared = classesOf(both.map(({ css }) => css).join(''))
    const words = new Set(scripts.flatMap(({ text }) => text.match(/(?<=["'`\s])[a-z][a-z0-9-]*(?=["'`\s])/g) ?? []))
    expect(shared.size).toBeGreaterThan(30)
    expect([...shared].filter((name) => !words.has(name))).toEqual([])
  })
})
