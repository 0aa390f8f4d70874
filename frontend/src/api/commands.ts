/** Changes through the API; each needs the admin's session. */

import { call, client } from './client'
import type { Preflight, Settings, SourceChange } from './types'

/** A preflight may take its own 20 s; the call must outlive it to show what it found. */
const PREFLIGHT_DEADLINE_S = 40

export const signIn = (token: string) =>
  call('to sign in', (options) => client.POST('/api/v1/session', { body: { token }, ...options }))

export const signOut = () => call('to sign out', (options) => client.DELETE('/api/v1/session', options))

export const makeWallToken = () =>
  call('to make an address for walls', (options) => client.POST('/api/v1/wall-token', options))

export const addSource = (body: { kind: string; name: string; settings: Settings; enabled: boolean }) =>
  call('to add the source', (options) => client.POST('/api/v1/sources', { body, ...options }))

export const changeSource = (id: number, body: SourceChange) =>
  call('to change the source', (options) =>
    client.PATCH('/api/v1/sources/{source_id}', { params: { path: { source_id: id } }, body, ...options }),
  )

export const removeSource = (id: number) =>
  call('to remove the source', (options) =>
    client.DELETE('/api/v1/sources/{source_id}', { params: { path: { source_id: id } }, ...options }),
  )

export const testSource = (body: { kind: string; settings: Settings; source_id: number | null }): Promise<Preflight> =>
  call('to test the source', (options) => client.POST('/api/v1/sources/test', { body, ...options }), {
    deadline_s: PREFLIGHT_DEADLINE_S,
  })

export const readCertificate = (address: string) =>
  call('to read the certificate', (options) => client.POST('/api/v1/certificate', { body: { address }, ...options }))
