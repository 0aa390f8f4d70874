import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChartEvent, eventSeries, eventTexts, MARK_PX, placeLabels, sourceEvent } from './events'
import type { ChartTokens } from './tokens'

const event = (at_ms: number, label: string, tone: ChartEvent['tone'] = 'calm'): ChartEvent => ({
  at_ms,
  text: label,
  label,
  tone,
})
const TOKENS = { ink: {}, font: 'Inter' } as unknown as ChartTokens
type Drawn = { type: string; x?: number; shape: object }
const sameScale = (at_ms: number) => at_ms

describe('labels of events', () => {
  it('stand beside the marks at their lines where there is room', () => {
    const placed = placeLabels([event(500, 'moved'), event(100, 'renamed')], sameScale, 0, 1000)
    expect(placed.map(({ text }) => text)).toEqual(['renamed', 'moved'])
    expect(placed.map(({ mark_x }) => mark_x)).toEqual([95, 495])
    expect(placed.every(({ x, mark_x }) => x > mark_x)).toBe(true)
  })

  it('stand above where there is no room for all their words beside their mark', () => {
    const placed = placeLabels(
      [event(100, 'Kernel queueing fired'), event(190, 'moved'), event(215, 'renamed')],
      sameScale,
      0,
      1000,
    )
    expect(placed.map(({ row, text, x, width }) => [text, row, x, width])).toEqual([
      ['Kernel queueing fired', 1, 95, 131],
      ['moved', 0, 150, 31],
      ['renamed', 0, 224, 44],
    ])
  })

  it('are cut before the next, and left out where they would say nothing', () => {
    const fired = 'Kernel queueing fired'
    const placed = placeLabels(
      [100, 190, 205, 220].map((at_ms) => event(at_ms, fired)),
      sameScale,
      0,
      300,
    )
    expect(placed.map(({ row, width }) => [row, width])).toEqual([
      [1, 131],
      [0, 66],
      [0, 0],
      [0, 71],
    ])
  })

  it('of the newest event stand before its mark', () => {
    const [only] = placeLabels([event(995, 'Kernel queueing fired', 'bad')], sameScale, 0, 1000)
    expect(only).toMatchObject({ mark_x: 990, text: 'Kernel queueing fired' })
    expect((only?.x ?? 0) + (only?.width ?? 0)).toBeLessThan(990)
  })

  it('whose marks would touch share one: the worst is named, the others are counted', () => {
    const close = [event(100, 'moved'), event(104, 'Kernel queueing fired', 'warn'), event(109, 'renamed')]
    const [only, ...others] = placeLabels(close, sameScale, 0, 1000)
    expect(others).toEqual([])
    expect(only).toMatchObject({ text: 'Kernel queueing fired +2', tone: 'warn' })
  })

  it('of events outside the window are left out', () => {
    expect(placeLabels([event(-1, 'before'), event(1001, 'after')], sameScale, 0, 1000)).toEqual([])
  })

  it('are cut when they are long', () => {
    const [only] = placeLabels([event(10, 'x'.repeat(200))], sameScale, 0, 1000)
    expect(only?.text).toHaveLength(34)
    expect(only?.text.endsWith('…')).toBe(true)
  })

  it('never touch, never leave the plot, and leave nobody out, wherever events lie', () => {
    const events = fc.array(
      fc.record({
        at_ms: fc.integer({ min: 0, max: 1000 }),
        text: fc.string(),
        label: fc.string({ minLength: 1, maxLength: 60 }),
        tone: fc.constantFrom<ChartEvent['tone']>('bad', 'warn', 'open', 'good', 'calm'),
      }),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(events, (some) => {
        const placed = placeLabels(some, sameScale, 0, 1000)
        for (const inRow of [0, 1]) {
          const words = placed.filter(({ row, width }) => row === inRow && width > 0)
          const spans = [
            ...words.map(({ x, width }) => ({ from: x, to: x + width })),
            ...(inRow === 1 ? [] : placed.map(({ mark_x }) => ({ from: mark_x, to: mark_x + MARK_PX }))),
          ].sort((a, b) => a.from - b.from)
          for (const [index, { from, to }] of spans.entries()) {
            expect(from).toBeGreaterThanOrEqual(0)
            expect(to).toBeLessThanOrEqual(1000)
            const next = spans[index + 1]
            if (next) expect(next.from).toBeGreaterThan(to)
          }
        }
        expect(placed.reduce((sum, { events: count }) => sum + count, 0)).toBe(some.length)
      }),
    )
  })
})

describe('what is drawn of an event', () => {
  it('moves with its line: a path that is drawn again keeps the place inside its shape', () => {
    const input = { from_ms: 0, to_ms: 1000, events: [event(500, 'moved')], tokens: TOKENS }
    const render = eventSeries(0, input)[0]?.renderItem as (params: unknown, api: unknown) => { children: Drawn[] }
    const marksAt = (px_per_ms: number) =>
      render(
        { coordSys: { x: 0, y: 50, width: 1000 * px_per_ms, height: 100 } },
        { coord: ([at_ms = 0]: number[]) => [at_ms * px_per_ms, 0] },
      ).children.filter(({ type }) => type === 'path')
    const [before, after] = [marksAt(1), marksAt(0.5)]
    expect(before.map(({ x }) => x)).toEqual([495])
    expect(after.map(({ x }) => x)).toEqual([245])
    expect(before[0]?.shape).toEqual(after[0]?.shape)
  })

  it('is told in full beside the numbers of its bucket', () => {
    const events = [event(61_000, 'first'), event(119_999, 'second'), event(180_000, 'too late')]
    expect(eventTexts([0, 60_000, 120_000], 60, events)).toEqual(['', 'first; second', ''])
  })
})

describe('what a source told of', () => {
  it('is neither good nor bad, and has a label of its own', () => {
    const told = sourceEvent({ at: '2026-11-20T12:00:00Z', label: 'path state', text: 'esx-1: path state dead' })
    expect(told).toEqual({
      at_ms: Date.UTC(2026, 10, 20, 12),
      text: 'esx-1: path state dead',
      label: 'path state',
      tone: 'calm',
    })
  })
})
