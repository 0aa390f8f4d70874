import { defineConfig } from '@playwright/test'

const isRoot = process.getuid?.() === 0

/** Runs against the Gavel at GAVEL_E2E_URL; `e2e/run.mjs` starts one of its own and sets it. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Two cores draw, serve and poll at once: patience costs nothing where nothing is wrong.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  fullyParallel: true,
  workers: process.env.GAVEL_E2E_WORKERS ? Number(process.env.GAVEL_E2E_WORKERS) : 1,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    baseURL: process.env.GAVEL_E2E_URL,
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
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
    { name: 'ready', testMatch: 'ready.setup.ts', timeout: 240_000 },
    { name: 'e2e', testMatch: '*.spec.ts', dependencies: ['ready'] },
    { name: 'vitals', testMatch: 'vitals.ts', timeout: 1_200_000 },
    { name: 'shots', testMatch: 'shots.ts', dependencies: ['ready'], timeout: 120_000 },
  ],
})
