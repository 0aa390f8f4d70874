import { expect, it, vi } from 'vitest'
import { takeSetupToken } from './setupToken'

it('takes the token and leaves no trace of it in the address', () => {
  const replaceState = vi.fn()
  const location = { hash: '#setup=s3cret-token-0001', pathname: '/sources', search: '?last=3h' }
  expect(takeSetupToken({ location, history: { replaceState } })).toBe('s3cret-token-0001')
  expect(replaceState).toHaveBeenCalledWith(null, '', '/sources?last=3h')
})

it('takes the token of a screen', () => {
  const location = { hash: '#wall=screen-token-0001', pathname: '/wall/environment', search: '' }
  expect(takeSetupToken({ location, history: { replaceState: vi.fn() } })).toBe('screen-token-0001')
})

it('leaves other addresses alone', () => {
  const replaceState = vi.fn()
  expect(
    takeSetupToken({ location: { hash: '#numbers', pathname: '/', search: '' }, history: { replaceState } }),
  ).toBeNull()
  expect(replaceState).not.toHaveBeenCalled()
})
