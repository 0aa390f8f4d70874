import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Tip } from './Tip'

function shownPage(tip: string) {
  return (
    <>
      <button type="button" data-tip={tip}>
        one
      </button>
      <button type="button">other</button>
      <Tip />
    </>
  )
}

const [ONE, OTHER] = [() => screen.getByText('one'), () => screen.getByText('other')]
const tip = () => screen.queryByRole('tooltip')

it('says what is pointed at, and nothing once the pointer has left', () => {
  render(shownPage('a whole name'))
  expect(tip()).toBeNull()
  fireEvent.pointerOver(ONE())
  expect(tip()?.textContent).toBe('a whole name')
  expect(ONE().getAttribute('aria-describedby')).toBe(tip()?.id)
  fireEvent.pointerOver(OTHER())
  expect(tip()).toBeNull()
  expect(ONE().hasAttribute('aria-describedby')).toBe(false)
})

it('says what the keyboard has found, whatever the pointer crosses, until Escape', () => {
  render(shownPage('a whole name'))
  act(() => ONE().focus())
  expect(tip()?.textContent).toBe('a whole name')
  fireEvent.pointerOver(OTHER())
  expect(tip()).not.toBeNull()
  fireEvent.keyDown(ONE(), { key: 'Escape' })
  expect(tip()).toBeNull()
})

it('says the newest words of what is pointed at', async () => {
  const { rerender } = render(shownPage('Copy the link'))
  fireEvent.pointerOver(ONE())
  rerender(shownPage('Link copied'))
  await waitFor(() => expect(tip()?.textContent).toBe('Link copied'))
})

it('is gone with what it was about', async () => {
  const { rerender } = render(shownPage('a whole name'))
  fireEvent.pointerOver(ONE())
  rerender(<Tip />)
  await waitFor(() => expect(tip()).toBeNull())
})
