/** A lab of its own beside the one that the product reads: arrays that nobody has added yet. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const PYTHON = join(import.meta.dirname, '../../.venv/bin/python')
// Another seed than the product's lab: other ids, so that its arrays are others.
const SEED = '2'
const START_S = 60

export interface LabSource {
  kind: string
  name: string
  address: string
  settings: { api_token: string; tls_sha256: string }
}

/** Serves it while `use` runs. */
export async function withSecondLab(use: (sources: LabSource[]) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gavel-lab-'))
  const announced = join(folder, 'sources.json')
  const options = ['--port', '0', '--seed', SEED, '--data-dir', folder, '--announce', announced]
  const child = spawn(PYTHON, ['-m', 'gavel_lab', ...options], { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    const deadline_ms = performance.now() + START_S * 1000
    while (!existsSync(announced)) {
      if (child.exitCode !== null || performance.now() > deadline_ms) throw new Error('the second lab did not start')
      await sleep(100)
    }
    await use(JSON.parse(readFileSync(announced, 'utf8')) as LabSource[])
  } finally {
    if (child.exitCode === null) {
      child.kill('SIGINT')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
}
