/** Sources in every unhealthy state, each as the product itself would tell it: state, streams, gaps and words fit together. */

import type { Page } from '@playwright/test'
import type { ClockOut, SourceOut, StreamOut } from '../src/api/types'
import { gavelNow } from './clock'
import { fetched } from './scenes'

const at = (age_s: number) => new Date(gavelNow() - age_s * 1000).toISOString()

export async function asSick(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/sources$/, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const answer = await fetched(route)
    const sources = (await answer.json()) as SourceOut[]
    await route.fulfill({ response: answer, json: sources.map(sickened) })
  })
}

const SICKNESSES = [failing, waiting, late, disabled]

export const sickened = (source: SourceOut, index: number): SourceOut =>
  (SICKNESSES[index % SICKNESSES.length] ?? failing)(source)

/** Read until so long ago, by a run just after that; since then nothing. */
const stale = (stream: StreamOut, age_s: number): StreamOut => ({
  ...stream,
  until_at: at(age_s),
  lag_s: age_s,
  samples_per_s: 0,
  last_run_at: at(age_s - 4),
})

/** Away for 26 minutes. What is missing is owed only when it answers again: until then there is no gap of it. */
function failing(source: SourceOut): SourceOut {
  return {
    ...source,
    state: 'failing',
    error_kind: 'timeout',
    error_message: `${source.settings.address}: no answer in time (timed out). Check the address, the port and the firewalls in between.`,
    error_since: at(25.5 * 60),
    streams: source.streams.map((stream) => ({ ...stale(stream, 26 * 60), open_gaps: 0 })),
    open_gaps: 0,
    warnings: [],
  }
}

/** Added a moment ago. */
function waiting(source: SourceOut): SourceOut {
  const unknown = { error_kind: null, error_message: null, error_since: null, version: null, identity: null }
  return { ...source, ...unknown, state: 'waiting', streams: [], clocks: [], entities: {}, open_gaps: 0, warnings: [] }
}

/** Answers, but its first stream stands and the second owes two gaps; its account may not read all, and a host's clock is off. */
function late(source: SourceOut): SourceOut {
  const streams = source.streams.map((stream, index) => ({
    ...(index === 0 ? stale(stream, 3 * stream.interval_s + 85) : stream),
    open_gaps: index === 1 ? 2 : 0,
  }))
  const clocks = withHostOff(source.clocks, 6.2)
  const off = clocks.find(({ offset_s }) => offset_s === 6.2)
  const hosts = clocks.flatMap(({ name }) => name ?? []).slice(0, 2)
  return {
    ...source,
    state: 'late',
    streams,
    open_gaps: 2,
    clocks,
    warnings: [
      ...(off ? [`The clock of ${off.name} is +6.2 s off; Gavel corrects for it, NTP would be better.`] : []),
      "System.Read is missing on the top of the vCenter's inventory: hosts, datastores and VMs may be hidden. Give the user the role Read-only there, propagated to children.",
      `The queue settings of ${hosts.join(' and ')} may not be read (the privilege Host.Config.Settings is missing): depths of HBAs, DSNRO and path policies are not known there. Give the account the privilege Host.Config.Settings on the hosts, or switch off reading their queue settings.`,
    ],
  }
}

function withHostOff(clocks: readonly ClockOut[], offset_s: number): ClockOut[] {
  const host = clocks.find(({ subject }) => subject !== null)
  return clocks.map((clock) => (clock === host ? { ...clock, offset_s } : clock))
}

/** Switched off two hours ago: that is when it was read last. */
function disabled(source: SourceOut): SourceOut {
  const age_s = 2 * 3600
  const streams = source.streams.map((stream) => ({
    ...stale(stream, age_s),
    open_gaps: 0,
  }))
  return { ...source, enabled: false, state: 'disabled', streams, open_gaps: 0, warnings: [] }
}
