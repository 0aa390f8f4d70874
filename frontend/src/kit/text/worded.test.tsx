import { render } from '@testing-library/react'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Worded } from './Worded'

it('commands between back-ticks are set as code, and the ticks are gone', () => {
  const { container } = render(<Worded>{'It does not answer; `gavel status` says more.'}</Worded>)
  expect(container.textContent).toBe('It does not answer; gavel status says more.')
  expect(container.querySelector('code')?.textContent).toBe('gavel status')
})

it('every other text is left as it is, one odd tick and markup too', () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !/`[^`]+`/.test(text)),
      (text) => {
        const { container, unmount } = render(<Worded>{text}</Worded>)
        expect(container.textContent).toBe(text)
        expect(container.children).toHaveLength(0)
        unmount()
      },
    ),
  )
})
