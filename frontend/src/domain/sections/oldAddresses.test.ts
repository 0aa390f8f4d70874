import { describe, expect, it } from 'vitest'
import { upgradeObjectAddress, upgradeRange } from './oldAddresses'

describe('addresses of older links', () => {
  it('lead to the tab that has what once was further down', () => {
    expect(upgradeObjectAddress({ open: 'raw', last: '6h' }, '')).toEqual({ last: '6h', tab: 'counters' })
    expect(upgradeObjectAddress({ part: 'host-device-7' }, '')).toEqual({ part: 'host-device-7', tab: 'counters' })
    expect(upgradeObjectAddress({}, 'evidence')).toEqual({ tab: 'counters' })
    expect(upgradeObjectAddress({ q: 'sql', sort: 'name' }, '')).toEqual({ q: 'sql', sort: 'name', tab: 'path' })
  })

  it('leave today’s addresses as they are', () => {
    for (const search of [{}, { tab: 'events' }, { tab: 'summary', part: 'x' }, { stack: 'share', hide: 'total' }])
      expect(upgradeObjectAddress(search, '')).toEqual(search)
  })

  it('keep the time they were about: a whole range was an hour where none was chosen', () => {
    expect(upgradeRange({ span: 'window' })).toEqual({ last: '1h' })
    expect(upgradeRange({ span: 'window', last: '7d' })).toEqual({ last: '7d' })
    expect(upgradeRange({ span: 'window', from: 'a', to: 'b' })).toEqual({ from: 'a', to: 'b' })
    expect(upgradeRange({ span: 'x' })).toEqual({})
  })
})
