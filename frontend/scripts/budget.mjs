// Fails when a page's first load or a lazy chunk of the built pages is over its budget (kB, compressed as served).
// It is a check of its own: pages that grew can be built and served.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FIRST_LOAD_KB = 220
const FIRST_CSS_KB = 40
const CHARTS_KB = 210

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))
const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)

const sum = (files) =>
  [...new Set(files)].reduce((total, file) => total + statSync(join(dist, `${file}.gz`)).size, 0) / 1000

function withImports(key, seen = new Set()) {
  if (seen.has(key)) return seen
  seen.add(key)
  for (const next of manifest[key].imports ?? []) withImports(next, seen)
  return seen
}

/** Everything that opening a page loads before its charts: the frame and the page's own code. */
const firstLoad = (page) => [...withImports(page, withImports(entry))].map((key) => manifest[key])

function hold(name, kb, budget_kb) {
  if (kb > budget_kb) process.exitCode = 1
  const words = `${name} ${kb.toFixed(1)} of ${budget_kb} kB gz`
  return kb > budget_kb ? `${words} OVER BUDGET` : words
}

function stop(why) {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}

const pages = manifest[entry].dynamicImports.filter((key) => /features[/].*Page[.]tsx$/.test(key))
const charts = Object.values(manifest).filter((chunk) => /echarts/.test(chunk.file) && chunk.file.endsWith('.js'))

if (pages.length === 0) stop('No page has code of its own any more: nothing was measured.')
if (charts.length === 0) stop('The charts are no longer a chunk of their own, loaded when a chart is shown.')

for (const page of pages) {
  const chunks = firstLoad(page)
  const name = page.replace(/.*[/]|[.]tsx$/g, '')
  if (chunks.some((chunk) => charts.includes(chunk))) stop(`${name} loads the charts before it is drawn.`)
  const js = hold('JavaScript', sum(chunks.map(({ file }) => file)), FIRST_LOAD_KB)
  const css = hold('CSS', sum(chunks.flatMap((chunk) => chunk.css ?? [])), FIRST_CSS_KB)
  process.stdout.write(`${name.padEnd(16)} first load: ${js}, ${css}\n`)
}
process.stdout.write(`${hold('charts:', sum(charts.map(({ file }) => file)), CHARTS_KB)}\n`)
