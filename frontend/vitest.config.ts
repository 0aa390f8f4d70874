import { defineConfig, mergeConfig } from 'vitest/config'
import type { TestSequencer, TestSpecification } from 'vitest/node'
import vite from './vite.config.ts'

/** `make explore` draws the order of files and tests, the hour, and what properties are tried with. */
const DRAWN = process.env.GAVEL_TEST_PROFILE === 'explore' ? Number(process.env.SEED) : null

const HOUR_MS = 3_600_000
/** What the clock says in every test that does not set it: a Friday noon, or a drawn hour of the five years before. */
const NOW_MS = Date.parse('2026-11-20T12:00:00Z') - ((DRAWN ?? 0) % (5 * 365 * 24)) * HOUR_MS

/** By path, on every machine and in every run: the usual order follows the seconds that files took the last time. */
class ByPath implements TestSequencer {
  async shard(files: TestSpecification[]) {
    return files
  }

  async sort(files: TestSpecification[]) {
    return files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
  }
}

// Starting a worker and a DOM costs ten times what the tests of a file do. One worker runs them all, and src/testing/setup.ts
// gives each file modules and a page of its own.
const SHARED = { isolate: false, maxWorkers: 1, pool: 'forks' } as const

export default mergeConfig(
  vite,
  defineConfig({
    test: {
      setupFiles: ['src/testing/setup.ts'],
      restoreMocks: true,
      unstubGlobals: true,
      // Two cores serve browsers and databases beside: patience costs nothing where nothing is wrong.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      fakeTimers: { now: NOW_MS },
      css: { include: [/tokens\.css/] },
      env: { TZ: 'UTC', PROPERTY_SEED: String(DRAWN ?? 1) },
      sequence: DRAWN === null ? { sequencer: ByPath } : { shuffle: { files: true, tests: true }, seed: DRAWN },
      projects: [
        {
          extends: true,
          test: {
            name: 'pure',
            include: ['src/**/*.test.ts'],
            exclude: ['src/**/*.dom.test.ts'],
            environment: 'node',
            sequence: { groupOrder: 0 },
            ...SHARED,
          },
        },
        {
          extends: true,
          test: {
            name: 'page',
            include: ['src/**/*.test.tsx', 'src/**/*.dom.test.ts'],
            environment: 'jsdom',
            sequence: { groupOrder: 1 },
            ...SHARED,
          },
        },
      ],
    },
  }),
)
