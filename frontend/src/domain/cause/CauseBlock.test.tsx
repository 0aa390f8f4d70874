import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Cause } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { noCause, queueCause } from '../../testing/causes'
import { CauseBlock, CauseProof } from './CauseBlock'
import { CauseSentence } from './CauseSentence'
import { evidenceText, formatCauseNumber, limitText } from './numbers'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children, 'aria-label': label }: { to: string; children: React.ReactNode; 'aria-label'?: string }) => (
    <a href={to} aria-label={label}>
      {children}
    </a>
  ),
}))

function show(cause: Cause) {
  const { container } = render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <CauseSentence cause={cause} />
        <CauseBlock cause={cause} />
        <CauseProof cause={cause} />
      </MantineProvider>
    </PreferencesProvider>,
  )
  return container.textContent?.replaceAll('\u00a0', ' ') ?? ''
}

/** The text beside a term of the block. */
const beside = (term: string) =>
  screen.queryByText(term, { selector: 'dt' })?.nextElementSibling?.textContent?.replaceAll('\u00a0', ' ') ?? null

it('cause: who, where, share, limit with what is used of it, proof and change, each with its term', () => {
  const text = show(queueCause)
  expect(text).toContain('Cause (confirmed): vdi-03 issues 98 % of the I/O; the queue of device vdi-08')
  expect(screen.getByRole('region', { name: 'Cause in numbers' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'vdi-03' }).getAttribute('href')).toBe('/vms/3')
  // A device has no page of its own.
  expect(screen.getByRole('link', { name: 'device vdi-08 on esx-04' }).getAttribute('href')).toBe('/hosts/4')
  expect(beside('Share')).toBe('98 % of I/O in the queue, 61,060 IOPS')
  expect(beside('Limit')).toBe('DQLEN: ≈ 32 of 32 I/Os (99 %)Set in host: queue depth of the HBA module')
  expect(beside('Proof')).toBe('Binds in 5 of 5 elevated minutes, in 0 of 15 normal minutes before')
  // What stayed as it was, or was not measured before, is no change.
  expect(beside('Change')).toBe('21:26 UTC, vdi-03: IOPS 210 → 61,060, 97 % of the added I/O time')
})

it('cause: how sure it is is explained on focus, apart from the confidence of the layer', () => {
  show({ ...queueCause, confidence: 'likely' })
  const label = screen.getByRole('button', { name: 'Likely' })
  expect(label.dataset.tip).toMatch(/^Confidence of the cause/)
})

it('cause: without normal minutes before, nothing is compared with them', () => {
  show({
    ...queueCause,
    twin: { elevated_minutes: 1, binding_minutes: 1, normal_minutes: 0, normal_binding_minutes: 0 },
  })
  expect(beside('Proof')).toBe('Binds in 1 of 1 elevated minute, no normal minutes before to compare with')
})

it('cause: what was not measured has no row, and an object without a page is a plain name', () => {
  const unmonitored = { name: 'unmonitored initiators', refs: [] }
  show({ ...queueCause, object: unmonitored, on: null, limit: null, twin: null, changed: null, evidence: [] })
  expect(screen.queryByRole('link')).toBeNull()
  expect(beside('Object')).toBe('unmonitored initiators')
  for (const term of ['Where', 'Limit', 'Proof', 'Change', 'Measured']) expect(beside(term)).toBeNull()
})

it('cause: several hosts of a path are named one by one', () => {
  const refs = [1, 2].map((id) => ({ kind: 'host' as const, id, name: `esx-${id}` }))
  show({ ...queueCause, on: { name: '2 hosts', refs } })
  expect(screen.getByRole('link', { name: 'esx-2' }).getAttribute('href')).toBe('/hosts/2')
  expect(screen.queryByText('2 hosts')).toBeNull()
})

it('cause: an object at its own limit is not named twice, and how many more are at theirs is', () => {
  const volume = { kind: 'volume', id: 7, name: 'v7' } as const
  const object = { name: 'volume v7', refs: [volume] }
  show({ ...queueCause, object, object_count: 3, on: { name: 'v7 on fa-1', refs: [volume] } })
  expect(beside('Object')).toBe('volume v7 and 2 more')
  expect(beside('Where')).toBeNull()
})

it('cause: without a single one the candidates are listed once, with what each explains and what would confirm it', () => {
  const text = show(noCause)
  expect(screen.getByRole('list', { name: 'Possible causes' }).children).toHaveLength(1)
  expect(text.match(/at its IOPS limit of 1,500/g)).toHaveLength(1)
  expect(text).toContain('41 % of the layer’s I/O time')
  expect(text).toContain('To confirm: limit in use in 60 % of the elevated minutes')
  expect(text).not.toContain('Cause (')
})

it('cause: a kind that is not known here shows its own label', () => {
  show({ ...queueCause, kind: 'host_cpu' as Cause['kind'], label: 'Host CPU' })
  expect(screen.getByRole('heading', { name: 'Host CPU' })).toBeTruthy()
})

it('cause numbers: derived ones have their sign, bounds stand beside, a unit that is not known is written as it comes', () => {
  const [queued, qavg] = queueCause.evidence
  expect(queued && evidenceText(queued)).toBe('≈ 30 I/Os')
  expect(queued && evidenceText({ ...queued, label: 'IOPS', unit: 'IOPS', is_derived: false })).toBe('30')
  expect(qavg && evidenceText(qavg)).toBe('0.48 ms (≥ 0.41 ms)')
  expect(qavg && evidenceText({ ...qavg, lower: null, upper: 600 })).toBe('0.48 ms (≤ 0.60 ms)')
  expect(qavg && evidenceText({ ...qavg, upper: 600 })).toBe('0.48 ms (0.41 ms–0.60 ms)')
  expect(formatCauseNumber(3, 'snapshots')).toBe('3 snapshots')
  expect(formatCauseNumber(null, 'µs')).toBe('not measured')
  const limit = { name: 'QoS bandwidth limit', is_derived: false, set_where: null }
  expect(limitText({ ...limit, value: 2e8, used: 1.98e8, used_share: 0.99, unit: 'bytes/s' })).toBe(
    '198 MB/s of 200 MB/s (99 %)',
  )
})

it('cause: that there is no single one is said once, and possible ones stand under their own heading', () => {
  show(noCause)
  expect(screen.getByRole('heading', { name: 'Possible causes' })).toBeTruthy()
  expect(screen.queryByRole('heading', { name: noCause.label })).toBeNull()
})

it('cause: without a single one and without possible ones, the sentence alone says so', () => {
  show({ ...noCause, candidates: [] })
  expect(screen.queryByRole('region', { name: 'Cause in numbers' })).toBeNull()
})
