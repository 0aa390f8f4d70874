import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChartEvent, MARK_PX, placeLabels, sourceEvent } from './events'

const event = (at_ms: number, label: string, tone: ChartEvent['tone'] = 'calm'): ChartEvent => ({
  at_ms,
  text: label,
  label,
  tone,
})
const sameScale = (at_ms: number) => at_ms

describe('labels of events', () => {
  it('stand beside the marks at their lines where there is room', () => {
    const placed = placeLabels([event(500, 'moved'), event(100, 'renamed')], sameScale, 0, 1000)
    expect(placed.map(({ text }) => text)).toEqual(['renamed', 'moved'])
    expect(placed.map(({ mark_x }) => mark_x)).toEqual([95, 495])
    expect(placed.every(({ x, mark_x }) => x > mark_x)).toBe(true)
  })

  it('are cut before the next mark, and left out where they would say nothing', () => {
    const [first, second, third] = placeLabels(
      [event(100, 'Kernel queueing fired'), event(190, 'moved'), event(215, 'renamed')],
      sameScale,
      0,
      1000,
    )
    expect(first?.width).toBe(190 - 5 - 10 - (95 + 14))
    expect(second?.width).toBe(0)
    expect(third?.width).toBeGreaterThan(0)
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
        const spans = placed.flatMap(({ mark_x, x, width }) => [
          { from: mark_x, to: mark_x + MARK_PX },
          ...(width === 0 ? [] : [{ from: x, to: x + width }]),
        ])
        spans.sort((a, b) => a.from - b.from)
        for (const [index, { from, to }] of spans.entries()) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeLessThanOrEqual(1000)
          const next = spans[index + 1]
          if (next) expect(next.from).toBeGreaterThan(to)
        }
        expect(placed.reduce((sum, { events: count }) => sum + count, 0)).toBe(some.length)
      }),
    )
  })
})

describe('what a source told of', () => {
  it('is neither good nor bad, and its kind is its label', () => {
    const told = sourceEvent({ at: '2026-11-20T12:00:00Z', kind: 'path_state', text: 'esx-1: path state dead' })
    expect(told).toEqual({
      at_ms: Date.UTC(2026, 10, 20, 12),
      text: 'esx-1: path state dead',
      label: 'path state',
      tone: 'calm',
    })
  })
})
