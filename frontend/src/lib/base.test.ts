import { describe, expect, it } from 'vitest'
import { basePathOf, ownAddress } from './base'

describe('base path', () => {
  it('is what the server wrote into the page', () => {
    expect(basePathOf({ dataset: { base: '/gavel' } })).toBe('/gavel')
    expect(basePathOf({ dataset: { base: '' } })).toBe('')
  })

  it('is none where nobody wrote one', () => {
    expect(basePathOf({ dataset: { base: '__BASE_PATH__' } })).toBe('')
    expect(basePathOf({ dataset: {} })).toBe('')
    expect(ownAddress('/api/v1/live')).toBe('/api/v1/live')
  })
})
