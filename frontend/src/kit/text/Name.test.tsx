import { act, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Name } from './Name'

// jsdom lays nothing out: what fits is told here, and a change of size is too.
let tell = () => {}

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(resized: () => void) {
        tell = resized
      }
      observe() {}
      disconnect() {}
    },
  )
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => {
    draw()
    return 1
  })
})
afterEach(() => vi.unstubAllGlobals())

function shown(name: string, room_px: number): Element {
  const { container } = render(
    <div style={{ fontSize: 16 }}>
      <Name>{name}</Name>
    </div>,
  )
  const head = container.querySelector('[aria-hidden] > span') as HTMLElement
  head.style.fontSize = '16px'
  Object.defineProperties(head, { scrollWidth: { value: 160 }, clientWidth: { value: room_px } })
  act(tell)
  return container.querySelector('[aria-hidden]') as Element
}

const NAME = 'prod-vmfs-frankfurt-web-02'

it('a name with room for only a letter of its beginning is told by its end, with more it shows both', () => {
  expect(shown(NAME, 12).hasAttribute('data-by-end')).toBe(true)
  expect(shown(NAME, 60).hasAttribute('data-by-end')).toBe(false)
  expect(shown(NAME, 160).hasAttribute('data-by-end')).toBe(false)
})

it('a name that is cut is whole in its tip and for who has it read', () => {
  const pieces = shown(NAME, 12)
  expect(pieces.closest('bdi')?.getAttribute('data-tip')).toBe(NAME)
  expect(pieces.previousSibling?.textContent).toBe(NAME)
})
