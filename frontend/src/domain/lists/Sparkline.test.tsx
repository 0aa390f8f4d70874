import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Sparkline, sparkPath } from './Sparkline'

it('a line goes from point to point, ends at a gap, and its highest point is at the top', () => {
  expect(sparkPath([100, 50, null, 100, null])).toBe('M0.0 1.0L20.0 14.0M60.0 1.0h1.5')
  expect(sparkPath([0, 0])).toBe('M0.0 27.0L80.0 27.0')
})

it('a line says its range, and nothing is drawn where nothing was measured', () => {
  const trend = (...total_us: (number | null)[]) => ({ from_at: '2026-11-21T01:20:00Z', step_s: 120, total_us })
  const { rerender, container } = render(<Sparkline trend={trend(520, null, 1500)} />)
  expect(screen.getByRole('img', { name: 'Latency over the last hour: 0.52 ms to 1.50 ms' })).toBeTruthy()
  for (const none of [null, trend(null, null)]) {
    rerender(<Sparkline trend={none} />)
    expect(container.textContent).toBe('–')
  }
})
