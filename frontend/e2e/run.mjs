// Starts a Gavel of its own (lab included, fresh data, free ports), runs one Playwright project against it, stops it.
// With GAVEL_E2E_URL set, that Gavel is used instead; GAVEL_E2E_SETUP_TOKEN then says how to sign in.
// With GAVEL_E2E_DATA_DIR set, its Gavel reads that data directory, which stays, and has no lab.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const FRONTEND = join(dirname(fileURLToPath(import.meta.url)), '..')
const GAVEL = join(FRONTEND, '../.venv/bin/gavel')
const DATA_DIR = process.env.GAVEL_E2E_DATA_DIR
// The API's, then the lab's: two arrays, two vCenters, and what really happens in it.
const PORTS = 6
const START_S = 120
const STOP_S = 15

async function isFree(port) {
  const server = createServer()
  const listens = new Promise((resolve) =>
    server.once('listening', () => resolve(true)).once('error', () => resolve(false)),
  )
  server.listen(port, '127.0.0.1')
  if (!(await listens)) return false
  server.close()
  await once(server, 'close')
  return true
}

/** The first of so many free ports in a row, below those that outgoing connections take. */
async function freePorts(count) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const first = 10_000 + ((process.pid * 31 + attempt * 97) % 20_000)
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)))
    if (free.every(Boolean)) return first
  }
  throw new Error(`There are no ${count} free ports in a row.`)
}

async function isUp(url) {
  try {
    const answer = await fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(2000) })
    return answer.ok
  } catch {
    return false
  }
}

async function startGavel() {
  if (!existsSync(GAVEL)) throw new Error(`${GAVEL} is missing. Run \`make setup\` first, or set GAVEL_E2E_URL.`)
  const folder = mkdtempSync(join(tmpdir(), 'gavel-e2e-'))
  const port = await freePorts(PORTS)
  const log = openSync(join(folder, 'gavel.log'), 'w')
  const env = {
    ...process.env,
    GAVEL_DATA_DIR: DATA_DIR ?? join(folder, 'data'),
    ...(DATA_DIR === undefined ? {} : { GAVEL_LAB: '0' }),
    GAVEL_PORT: String(port),
    GAVEL_LAB_PORT: String(port + 1),
  }
  const child = spawn(GAVEL, ['up'], { cwd: join(FRONTEND, '..'), env, stdio: ['ignore', log, log] })
  const gavel = { child, folder, url: `http://127.0.0.1:${port}`, tokenFile: join(env.GAVEL_DATA_DIR, 'setup-token') }
  // What tests may ask past the product: which layer the lab makes guilty when, which process is which, who is signed in.
  gavel.beside = {
    ...(DATA_DIR === undefined ? { GAVEL_E2E_TRUTH_URL: `http://127.0.0.1:${port + PORTS - 1}` } : {}),
    GAVEL_E2E_JOURNAL: join(env.GAVEL_DATA_DIR, 'processes.json'),
    GAVEL_E2E_STATE_DIR: folder,
  }
  const deadline = Date.now() + START_S * 1000
  while (!(await isUp(gavel.url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      const words = readFileSync(join(folder, 'gavel.log'), 'utf8').slice(-4000)
      await stopGavel(gavel)
      throw new Error(`Gavel did not start within ${START_S} s. It said:\n${words}`)
    }
    await sleep(300)
  }
  return gavel
}

async function stopGavel({ child, folder }) {
  if (child.exitCode === null) {
    child.kill('SIGINT')
    await Promise.race([once(child, 'exit'), sleep(STOP_S * 1000)])
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  }
  rmSync(folder, { recursive: true, force: true })
}

async function playwright(project, env) {
  const cli = join(FRONTEND, 'node_modules/@playwright/test/cli.js')
  const child = spawn(process.execPath, [cli, 'test', `--project=${project}`, ...process.argv.slice(3)], {
    cwd: FRONTEND,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

const project = process.argv[2] ?? 'e2e'
let gavel = null
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    if (gavel) await stopGavel(gavel)
    process.exit(130)
  })
}

if (process.env.GAVEL_E2E_URL) {
  process.exitCode = await playwright(project, {})
} else {
  gavel = await startGavel()
  try {
    // It is gone where somebody signed in with it.
    const GAVEL_E2E_SETUP_TOKEN = existsSync(gavel.tokenFile) ? readFileSync(gavel.tokenFile, 'utf8').trim() : ''
    process.exitCode = await playwright(project, { GAVEL_E2E_URL: gavel.url, GAVEL_E2E_SETUP_TOKEN, ...gavel.beside })
  } finally {
    await stopGavel(gavel)
  }
}
