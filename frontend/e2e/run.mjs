// Starts a Gavel of its own on free ports, runs one Playwright project against it, stops it.
//
//   node e2e/run.mjs held      most tests: the real pages and API of an hour that was, whose clock stands still (tests/frozen)
//   node e2e/run.mjs living    those that need a product at work, with its lab and fresh data
//   node e2e/run.mjs pictures  the pictures of the documentation, of the held hour
//   node e2e/run.mjs e2e       both, one after the other; further words go to Playwright: names.spec.ts, -g 'a title'
//
// With GAVEL_E2E_URL set, that Gavel is used instead; GAVEL_E2E_SETUP_TOKEN then says how to sign in.
// With GAVEL_E2E_DATA_DIR set, its Gavel reads that data directory, which stays, and has no lab.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const FRONTEND = join(dirname(fileURLToPath(import.meta.url)), '..')
const ROOT = join(FRONTEND, '..')
const [GAVEL, PYTHON] = ['gavel', 'python'].map((name) => join(ROOT, '.venv/bin', name))
const DATA_DIR = process.env.GAVEL_E2E_DATA_DIR
const CLI = join(FRONTEND, 'node_modules/@playwright/test/cli.js')
// The API's, then the lab's: two arrays, two vCenters, and what really happens in it.
const PORTS = 6
const SLOWNESS = Number(process.env.GAVEL_TEST_SLOWNESS ?? 1)
const START_S = 120 * SLOWNESS
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

/** The first of so many free ports in a row, below those that tests reserve (tests/ports.py) and outgoing connections take. */
async function freePorts(count) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const first = 10_000 + ((process.pid * 31 + attempt * 97) % 10_000)
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

/** A product at work: the lab's arrays and vCenters are read while the tests run. Its clock continues from the end of the held hour. */
async function startLiving() {
  const folder = mkdtempSync(join(tmpdir(), 'gavel-e2e-'))
  const clock = DATA_DIR === undefined ? shifted(await copyHour(folder)) : {}
  const port = await freePorts(PORTS)
  const data = DATA_DIR ?? join(folder, 'data')
  const env = {
    ...clock,
    GAVEL_DATA_DIR: data,
    ...(DATA_DIR === undefined ? {} : { GAVEL_LAB: '0' }),
    GAVEL_PORT: String(port),
    GAVEL_LAB_PORT: String(port + 1),
    GAVEL_LAB_GUESTS: '0',
  }
  // What tests may ask past the product: which layer the lab makes guilty when, and which process is which.
  const beside = {
    ...clock,
    ...(DATA_DIR === undefined ? { GAVEL_E2E_TRUTH_URL: `http://127.0.0.1:${port + PORTS - 1}` } : {}),
    GAVEL_E2E_JOURNAL: join(data, 'processes.json'),
  }
  return await started({ command: [GAVEL, 'up'], env, folder, port, data, beside })
}

/** When the hour ends that is kept for the code of today, in seconds since 1970. It is made first where it is missing. */
async function copyHour(folder) {
  const copied = promisify(execFile)(PYTHON, ['-m', 'tests.frozen.hour', folder], { cwd: ROOT })
  copying = copied.child
  await copied
  copying = null
  return JSON.parse(readFileSync(join(folder, 'hour.json'), 'utf8')).at
}

/** The clock of a product that starts now, of its lab and of the tests. */
function shifted(at_s) {
  const by_s = at_s - Date.now() / 1000
  return { GAVEL_TEST_CLOCK: `${by_s < 0 ? '' : '+'}${by_s.toFixed(3)}` }
}

async function startHeld() {
  const folder = mkdtempSync(join(tmpdir(), 'gavel-e2e-'))
  const clock = { GAVEL_TEST_CLOCK: `@${await copyHour(folder)}` }
  const port = await freePorts(1)
  const command = [PYTHON, '-m', 'tests.frozen.serve', folder, '--port', String(port)]
  return await started({ command, env: clock, folder, port, data: join(folder, 'data'), beside: clock })
}

/** Once it answers; what it says goes to a file, of which the end is told where it does not come up. */
async function started({ command: [program, ...options], env, folder, port, data, beside }) {
  const log = openSync(join(folder, 'gavel.log'), 'w')
  const child = spawn(program, options, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', log, log] })
  const gavel = { child, folder, url: `http://127.0.0.1:${port}`, tokenFile: join(data, 'setup-token') }
  gavel.beside = { ...beside, GAVEL_E2E_STATE_DIR: folder }
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
  const child = spawn(process.execPath, [CLI, 'test', `--project=${project}`, ...words], {
    cwd: FRONTEND,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

/** Those of the projects that have tests which the caller's words name: nothing is started for the others. An error where none has. */
async function withTests(projects) {
  if (words.length === 0) return projects
  const listed = await Promise.all(
    projects.map((project) =>
      promisify(execFile)(process.execPath, [CLI, 'test', '--list', `--project=${project}`, ...words], {
        cwd: FRONTEND,
        maxBuffer: 64 * 2 ** 20,
      }).catch((error) => error),
    ),
  )
  if (listed.every((one) => one instanceof Error)) {
    process.stderr.write(listed.map(({ stdout, stderr }) => stderr + stdout).join(''))
    throw new Error(`No test of ${projects.join(' or ')} fits ${words.join(' ')}.`)
  }
  return projects.filter((_, index) => !(listed[index] instanceof Error))
}

async function against(start, project) {
  gavel = await start()
  try {
    // It is gone where somebody signed in with it.
    const GAVEL_E2E_SETUP_TOKEN = existsSync(gavel.tokenFile) ? readFileSync(gavel.tokenFile, 'utf8').trim() : ''
    return await playwright(project, { GAVEL_E2E_URL: gavel.url, GAVEL_E2E_SETUP_TOKEN, ...gavel.beside })
  } finally {
    await stopGavel(gavel)
    gavel = null
  }
}

const [project = 'e2e', ...words] = process.argv.slice(2)
let gavel = null
let copying = null
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    copying?.kill('SIGTERM')
    if (gavel) await stopGavel(gavel)
    process.exit(130)
  })
}

if (process.env.GAVEL_E2E_URL) {
  process.exitCode = await playwright(project, {})
} else {
  if (!existsSync(GAVEL)) throw new Error(`${GAVEL} is missing. Run \`make setup\` first, or set GAVEL_E2E_URL.`)
  const codes = []
  for (const one of await withTests(project === 'e2e' ? ['held', 'living'] : [project]))
    codes.push(await against(['held', 'pictures'].includes(one) ? startHeld : startLiving, one))
  process.exitCode = Math.max(...codes)
}
