// Fails the build when the first load or a lazy chunk grows over its budget (kB, compressed as they are served).
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const BUDGET_KB = { 'first load of the largest page, JavaScript': 220, 'first load, CSS': 40, charts: 210 }
const dist = new URL('../dist/', import.meta.url).pathname
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))

const gzipped = (file) => statSync(join(dist, `${file}.gz`)).size

function withImports(key, seen = new Set()) {
  if (seen.has(key)) return seen
  seen.add(key)
  for (const next of manifest[key].imports ?? []) withImports(next, seen)
  return seen
}

/** Everything that opening one page loads before its charts: the frame and the page's own code. */
function largestPage() {
  const pages = (manifest[entry].dynamicImports ?? []).filter((key) => /features[/].*Page[.]tsx$/.test(key))
  const loads = pages.map((key) => new Set([...withImports(key, withImports(entry))].map((one) => manifest[one].file)))
  const weight = (files) => [...files].reduce((sum, file) => sum + gzipped(file), 0)
  return loads.sort((a, b) => weight(b) - weight(a))[0]
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)
const first = [...withImports(entry)].map((key) => manifest[key])
const charts = Object.values(manifest).filter((chunk) => /echarts/.test(chunk.file) && chunk.file.endsWith('.js'))
const sizes = {
  'first load of the largest page, JavaScript': largestPage(),
  'first load, CSS': new Set(first.flatMap((chunk) => chunk.css ?? [])),
  charts: new Set(charts.map((chunk) => chunk.file)),
}

if (charts.length === 0 || first.some((chunk) => /echarts/.test(chunk.file))) {
  process.stderr.write('The charts are no longer a chunk of their own, loaded when a chart is shown.\n')
  process.exit(1)
}
for (const [name, files] of Object.entries(sizes)) {
  const kb = [...files].reduce((sum, file) => sum + gzipped(file), 0) / 1000
  const over = kb > BUDGET_KB[name]
  process.stdout.write(`${name}: ${kb.toFixed(1)} of ${BUDGET_KB[name]} kB gz${over ? '  OVER BUDGET' : ''}\n`)
  if (over) process.exitCode = 1
}
