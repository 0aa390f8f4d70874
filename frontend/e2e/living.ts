/** What the live stream told an open page, when the page asked anew, and the life of the API's own process. */

import { readFileSync } from 'node:fs'
import { type BrowserContext, expect, type Page } from '@playwright/test'

declare global {
  interface Window {
    /** When the stream said that minutes were judged, in milliseconds since the page began. */
    judged_ms: number[]
  }
}

/** Pages of the context note what their own stream tells them, beside the page's own listeners. */
export async function noteLive(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    window.judged_ms = []
    performance.setResourceTimingBufferSize(10_000)
    window.EventSource = class extends EventSource {
      constructor(address: string | URL) {
        super(address)
        this.addEventListener('update', ({ data }) => {
          const { streams } = JSON.parse(data) as { streams?: string[] }
          if (streams?.includes('ledger')) window.judged_ms.push(performance.now())
        })
      }
    }
  })
}

/** The instant by the page's own clock. */
export const pageNow = (page: Page) => page.evaluate(() => performance.now())

/** Once so much time has passed by the page's own clock: what is counted over a time takes it. */
export async function passed(page: Page, length_ms: number): Promise<void> {
  const began_ms = await pageNow(page)
  await expect
    .poll(() => pageNow(page), { intervals: [500], timeout: 10 * length_ms })
    .toBeGreaterThan(began_ms + length_ms)
}

/** A refresh waits a second for others; a busy machine is late. */
const SOON_MS = 4000

/** How the page asked for `path` since an instant: as often as `asks`, `unasked` times without the stream, and `missed`: told, yet not asked. */
export function askedSince(page: Page, path: string, since_ms: number) {
  return page.evaluate(
    ([name, since, soon]) => {
      const asks = performance
        .getEntriesByType('resource')
        .filter((one) => one.startTime > since && new URL(one.name).pathname === name)
        .map(({ startTime }) => startTime)
      const told = window.judged_ms.filter((at) => at > since - soon)
      const follows = (ask: number, at: number) => ask >= at && ask - at <= soon
      const now = performance.now()
      return {
        asks: asks.length,
        unasked: asks.filter((ask) => !told.some((at) => follows(ask, at))).length,
        missed: told.filter((at) => at > since && at < now - soon && !asks.some((ask) => follows(ask, at))).length,
      }
    },
    [path, since_ms, SOON_MS] as const,
  )
}

const JOURNAL = process.env.GAVEL_E2E_JOURNAL
export const canKill = JOURNAL !== undefined

interface Service {
  name: string
  pid: number | null
  state: string
}

function apiPid(): number | null {
  const services = JSON.parse(readFileSync(JOURNAL ?? '', 'utf8')) as Service[]
  return services.find(({ name }) => name === 'api')?.pid ?? null
}

/** kill -9 of the API, by the number that the supervisor of this run wrote down, again as often as it has come back, until `isEnough`. */
export async function killApi(isEnough: () => Promise<boolean>): Promise<void> {
  const killed = new Set<number>()
  const deadline_ms = performance.now() + 60_000
  while (killed.size === 0 || !(await isEnough())) {
    if (performance.now() > deadline_ms) throw new Error(`killed ${[...killed]}, and nobody noticed within a minute`)
    const pid = apiPid()
    if (pid !== null && !killed.has(pid) && isGavel(pid)) {
      process.kill(pid, 'SIGKILL')
      killed.add(pid)
    }
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/** The journal may be a moment old: its number may be nobody's, or somebody else's. */
function isGavel(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('gavel')
  } catch {
    return false
  }
}
