// Writes src/api/schema.d.ts, which no commit holds, from codegen/openapi.json. Writes from backend/gavel/domain/io_path.json the
// names of the I/O path, what they look like, and their colors in src/styles/tokens.css. With --types it writes the first alone,
// and with --check it says whether the others, which commits hold, are up to date.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const SOURCES = join(here, '../src')

/** Of the API: what TypeScript knows of its requests and answers. */
function types() {
  const folder = mkdtempSync(join(tmpdir(), 'gavel-codegen-'))
  const output = join(folder, 'schema.d.ts')
  try {
    const cli = join(here, 'node_modules/openapi-typescript/bin/cli.js')
    execFileSync(process.execPath, [cli, join(here, 'openapi.json'), '--output', output, '--alphabetize'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return readFileSync(output, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const path = JSON.parse(readFileSync(join(here, '../../backend/gavel/domain/io_path.json'), 'utf8'))
const FROM = '// Generated from backend/gavel/domain/io_path.json: `npm run codegen`.'
const rows = (entries, row) => entries.map((entry) => `  ${entry.name}: ${row(entry)},\n`).join('')

const looks = () => `${FROM}
/** Layers and segments of an I/O's path, outermost first, and what they look like. */

export const LAYER_IDS = [${path.layers.map(({ name }) => `'${name}'`).join(', ')}] as const

/** Variables of styles/tokens.css. */
export const PATH_COLORS = [${Object.keys(path.colors)
  .map((name) => `'${name}'`)
  .join(', ')}] as const
type PathColor = (typeof PATH_COLORS)[number]

export const LAYER_FILLS: Record<(typeof LAYER_IDS)[number], PathColor> = {
${rows(path.layers, ({ color }) => `'${color}'`)}}

/** Segments that share their color with a plain neighbor are hatched. */
export const SEGMENT_LOOKS: Record<string, { fill: PathColor; hatched: boolean }> = {
${rows(path.segments, ({ color, hatched }) => `{ fill: '${color}', hatched: ${hatched} }`)}}
`

const names = () => `${FROM}
/** What the layers and segments of an I/O's path are called. */

export const layerNames = {
${rows(path.layers, ({ label }) => `'${label}'`)}} as const

export const segmentNames = {
${rows(path.segments, ({ term }) => `'${term}'`)}} as const
`

/** The style sheet with the colors of the path in each of its themes. */
function tokens(css) {
  const blocks = css.split(/(?<=^\})/m).map((block) => {
    const theme = /data-theme="(\w+)"/.exec(block)?.[1]
    if (theme === undefined) return block
    return Object.entries(path.colors).reduce((text, [name, themes]) => {
      const variable = `--gv-${name.replaceAll('_', '-')}`
      const { fill, edge } = themes[theme]
      return text
        .replace(new RegExp(`${variable}: #\\w+;`), `${variable}: ${fill};`)
        .replace(new RegExp(`${variable}-edge: #\\w+;`), `${variable}-edge: ${edge};`)
    }, block)
  })
  return blocks.join('')
}

const read = (file) => (existsSync(join(SOURCES, file)) ? readFileSync(join(SOURCES, file), 'utf8') : '')
const files = {
  'charts/ioPath.ts': looks(),
  'copy/ioPathNames.ts': names(),
  'styles/tokens.css': tokens(read('styles/tokens.css')),
}
const stale = Object.keys(files).filter((file) => files[file] !== read(file))
const [mode] = process.argv.slice(2)
if (mode !== '--check') writeFileSync(join(SOURCES, 'api/schema.d.ts'), types())
if (mode === undefined) {
  for (const file of stale) writeFileSync(join(SOURCES, file), files[file])
} else if (mode === '--check' && stale.length > 0) {
  process.stderr.write(`Not as generated: ${stale.join(', ')} in src. Run \`npm run codegen\` and commit the result.\n`)
  process.exit(1)
}
