import { defineConfig } from '@playwright/test'

const isRoot = process.getuid?.() === 0
// Of the machine: a busy one is waited for longer.
const SLOWNESS = Number(process.env.GAVEL_TEST_SLOWNESS ?? 1)
/** What such a test looks at has to be at work: read, attribute, be killed, or be told by its lab what really happened. */
const LIVING = /@living/
// One would meet what the other does to a product at work; an hour that was changes for nobody.
const WORKERS = process.argv.includes('--project=held') ? 2 : 1

/** Runs against the Gavel at GAVEL_E2E_URL; `e2e/run.mjs` starts one of its own and sets it. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Two cores draw, serve and poll at once: patience costs nothing where nothing is wrong.
  timeout: 180_000 * SLOWNESS,
  expect: { timeout: 60_000 * SLOWNESS },
  fullyParallel: true,
  workers: process.env.GAVEL_E2E_WORKERS ? Number(process.env.GAVEL_E2E_WORKERS) : WORKERS,
  // One that is left in would take all other tests out of a run, unseen.
  forbidOnly: true,
  // scripts/scheduling.py names what needed it, and fails when that were more than a few.
  retries: process.env.CI ? 1 : 0,
  reporter: [['list']],
  use: {
    baseURL: process.env.GAVEL_E2E_URL,
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    // Emptied and set back between two tests: a browser that has compiled the pages once does not compile them for each test.
    reuseContext: true,
    timezoneId: 'Europe/Berlin',
    screenshot: 'only-on-failure',
    // Recording costs two fifths of the processor time of a run: only where somebody looks for a cause.
    trace: process.env.GAVEL_E2E_TRACE ? 'retain-on-failure' : 'off',
    launchOptions: {
      executablePath: process.env.GAVEL_CHROMIUM,
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-dev-shm-usage',
        '--font-render-hinting=none',
        ...(isRoot ? ['--no-sandbox'] : []),
      ],
    },
  },
  projects: [
    { name: 'ready', testMatch: 'ready.setup.ts', timeout: 240_000 * SLOWNESS },
    { name: 'e2e', testMatch: '*.spec.ts', dependencies: ['ready'] },
    { name: 'held', testMatch: '*.spec.ts', grepInvert: LIVING, dependencies: ['ready'] },
    { name: 'living', testMatch: '*.spec.ts', grep: LIVING, dependencies: ['ready'] },
    // Against an API whose names all hold markup; tests/hostile/api starts it.
    { name: 'markup', testMatch: 'markup.ts' },
    { name: 'vitals', testMatch: 'vitals.ts', timeout: 1_200_000 },
    { name: 'pictures', testMatch: 'pictures.ts' },
    { name: 'shots', testMatch: 'shots.ts', dependencies: ['ready'], timeout: 120_000 },
  ],
})
