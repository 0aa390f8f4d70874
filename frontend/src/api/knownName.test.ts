import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { client } from './client'
import { knownName, listQuery, oneQuery } from './queries'

const ALL = { filters: {}, sort: 'name', window: null }

function withLists() {
  const cache = new QueryClient()
  const page = (...names: string[]) => ({
    items: names.map((name, index) => ({ id: index + 1, name })),
    total: names.length,
    limit: 100,
    offset: 0,
  })
  cache.setQueryData(listQuery('datastores', ALL, 0).queryKey, page('sql-01', 'sql-02') as never)
  cache.setQueryData(listQuery('vms', ALL, 0).queryKey, page('web-01') as never)
  return cache
}

describe('what a thing is called before its own answer', () => {
  it('is what a list of its kind said', () => {
    expect(knownName(withLists(), 'datastores', 2)).toBe('sql-02')
    expect(knownName(withLists(), 'vms', 1)).toBe('web-01')
    expect(knownName(withLists(), 'vms', 2)).toBeNull()
  })

  it('stands in what is said when the answer does not come, and nobody is told an internal number', async () => {
    vi.spyOn(client, 'GET').mockRejectedValue(new TypeError('network'))
    const cache = withLists()
    await expect(cache.fetchQuery(oneQuery('datastores', 2))).rejects.toMatchObject({ what: 'the datastore sql-02' })
    await expect(cache.fetchQuery(oneQuery('datastores', 7))).rejects.toMatchObject({ what: 'this datastore' })
  })
})
