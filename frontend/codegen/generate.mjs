// Writes src/api/schema.d.ts from codegen/openapi.json; with --check only says whether it is up to date.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const target = join(here, '../src/api/schema.d.ts')

function generate() {
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

const fresh = generate()
if (!process.argv.includes('--check')) {
  writeFileSync(target, fresh)
} else if (fresh !== readFileSync(target, 'utf8')) {
  process.stderr.write(
    'src/api/schema.d.ts does not match codegen/openapi.json. Run `npm run codegen` and commit the result.\n',
  )
  process.exit(1)
}
