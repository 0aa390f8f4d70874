import { MantineProvider } from '@mantine/core'
import { render, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Diagnosis } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { queueScores, score } from '../../testing/causes'
import { Scoreboard } from './Scoreboard'
import { deltaText, scoreTiles } from './scores'

const diagnosis = {
  subject: { kind: 'datastore', id: 1, name: 'ds-1' },
  severity: 'elevated',
  until_at: null,
  scoreboard: queueScores,
} as unknown as Diagnosis

function tilesOf(given: Partial<Diagnosis> = {}): string[] {
  const { unmount } = render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        <Scoreboard diagnosis={{ ...diagnosis, ...given }} />
      </MantineProvider>
    </PreferencesProvider>,
  )
  const board = screen.getByRole('region', { name: 'Layer scoreboard' })
  const texts = within(board)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
  unmount()
  return texts
}

it('scoreboard: each layer has latency, difference, state in words, range and baseline, in the order of the I/O path', () => {
  expect(tilesOf()).toEqual([
    'GuestNot measured',
    'KernelCause0.51 ms+0.51 msrange 0.47–0.59 msbaseline 0 ms',
    'SANNot the cause0.13 ms+0.01 msrange 0.09–0.11 msbaseline 0.12 ms',
    'ArrayNot the cause0.36 ms−0.04 msrange 0.09–0.11 msbaseline 0.40 ms',
  ])
})

it('scoreboard: the cause is in the color of its severity, and calm once it is over', () => {
  const toneOf = (given: Partial<Diagnosis>) => {
    const { container, unmount } = render(
      <PreferencesProvider>
        <MantineProvider withGlobalClasses={false} withCssVariables={false}>
          <Scoreboard diagnosis={{ ...diagnosis, ...given }} />
        </MantineProvider>
      </PreferencesProvider>,
    )
    // Not those of marks, which have a shape.
    const tones = [...container.querySelectorAll('[data-tone]')]
      .filter((one) => one.querySelector('svg') === null)
      .map((one) => one.getAttribute('data-tone'))
    unmount()
    return tones
  }
  expect(toneOf({})).toEqual(['warn'])
  expect(toneOf({ severity: 'high' })).toEqual(['bad'])
  expect(toneOf({ until_at: '2026-11-22T21:36:00Z' })).toEqual(['calm'])
})

it('scoreboard: layers that are not separable are one tile, and no latency is shown twice', () => {
  const both = { us: 400, state: 'possible' } as const
  const scores = [
    score('guest'),
    score('kernel', { ...both, merged_with: ['san'] }),
    score('san', { ...both, merged_with: ['kernel'] }),
    score('array'),
  ]
  expect(scoreTiles(scores).map(({ label }) => label)).toEqual(['Guest', 'Kernel + SAN', 'Array'])
  expect(tilesOf({ scoreboard: scores }).filter((text) => text.includes('0.40 ms'))).toHaveLength(1)
})

it('scoreboard: a layer that shares latency with one that does not stand beside it names that one', () => {
  const scores = [
    score('guest', { merged_with: ['san'] }),
    score('kernel'),
    score('san', { merged_with: ['guest'] }),
    score('array'),
  ]
  expect(scoreTiles(scores)).toHaveLength(4)
  expect(tilesOf({ scoreboard: scores })[0]).toContain('not separable from SAN')
})

it('scoreboard: time that is only seen at an object is marked, and not measured time is not', () => {
  const scores = queueScores.map((one) => ({ ...one, is_own: one.layer === 'san' || one.layer === 'array' }))
  const subject = { kind: 'array', id: 1, name: 'fa-1' } as const
  const tiles = tilesOf({ scoreboard: scores, subject })
  expect(tiles.map((text) => text.includes('outside this array'))).toEqual([false, true, false, false])
})

it('scoreboard: a difference that its decimals do not show is no 0 with a sign', () => {
  const scale = { unit: 'ms', decimals: 2 } as const
  expect([4, -4, 6, -51].map((us) => deltaText(us, scale))).toEqual(['±0 ms', '±0 ms', '+0.01 ms', '−0.05 ms'])
})
