/** Changes through the API; each needs the admin's session. */

import * as requestsCopy from '../copy/requests'
import { call, client } from './client'
import type { ImportIn, Preflight, Settings, SourceChange } from './types'

/** A preflight may take its own 20 s; the call must outlive it to show what it found. */
const PREFLIGHT_DEADLINE_S = 40

export const signIn = (token: string) =>
  call(requestsCopy.signIn, (options) => client.POST('/api/v1/session', { body: { token }, ...options }))

export const signOut = () => call(requestsCopy.signOut, (options) => client.DELETE('/api/v1/session', options))

export const signOutEverywhere = () =>
  call(requestsCopy.signOutEverywhere, (options) => client.DELETE('/api/v1/sessions', options))

export const makeWallToken = () => call(requestsCopy.wallLink, (options) => client.POST('/api/v1/wall-token', options))

export const addSource = (body: { kind: string; name: string; settings: Settings; enabled: boolean }) =>
  call(requestsCopy.addSource, (options) => client.POST('/api/v1/sources', { body, ...options }))

export const changeSource = (id: number, body: SourceChange) =>
  call(requestsCopy.editSource, (options) =>
    client.PATCH('/api/v1/sources/{source_id}', { params: { path: { source_id: id } }, body, ...options }),
  )

export const removeSource = (id: number) =>
  call(requestsCopy.removeSource, (options) =>
    client.DELETE('/api/v1/sources/{source_id}', { params: { path: { source_id: id } }, ...options }),
  )

export const addGuestToken = (body: { name: string; vm_names: string[] }) =>
  call(requestsCopy.guestToken, (options) => client.POST('/api/v1/guests/tokens', { body, ...options }))

export const revokeGuestToken = (token_id: number) =>
  call(requestsCopy.revokeGuestToken, (options) =>
    client.DELETE('/api/v1/guests/tokens/{token_id}', { params: { path: { token_id } }, ...options }),
  )

export const tieGuestDisk = (disk_id: number, vm_disk_id: number) =>
  call(requestsCopy.tieGuestDisk, (options) =>
    client.PUT('/api/v1/guests/disks/{disk_id}/virtual-disk', {
      params: { path: { disk_id } },
      body: { vm_disk_id },
      ...options,
    }),
  )

export const addImport = (body: ImportIn) =>
  call(requestsCopy.addImport, (options) => client.POST('/api/v1/imports', { body, ...options }))

/** A part of a file, as it is. */
export const addPart = (import_id: number, position: number, part: Blob) =>
  call(requestsCopy.importPart, (options) =>
    client.PUT('/api/v1/imports/{import_id}/parts', {
      params: { path: { import_id }, query: { position } },
      body: part as unknown as string,
      bodySerializer: (body: unknown) => body as Blob,
      headers: { 'content-type': 'application/octet-stream' },
      ...options,
    }),
  )

export const getImport = (import_id: number) =>
  call(requestsCopy.imports, (options) =>
    client.GET('/api/v1/imports/{import_id}', { params: { path: { import_id } }, ...options }),
  )

export const tieImport = (import_id: number, host_id: number) =>
  call(requestsCopy.tieImport, (options) =>
    client.PUT('/api/v1/imports/{import_id}/host', {
      params: { path: { import_id } },
      body: { host_id, offset_s: null },
      ...options,
    }),
  )

export const removeImport = (import_id: number) =>
  call(requestsCopy.removeImport, (options) =>
    client.DELETE('/api/v1/imports/{import_id}', { params: { path: { import_id } }, ...options }),
  )

export const testSource = (body: { kind: string; settings: Settings; source_id: number | null }): Promise<Preflight> =>
  call(requestsCopy.testSource, (options) => client.POST('/api/v1/sources/test', { body, ...options }), {
    deadline_s: PREFLIGHT_DEADLINE_S,
  })

export const readCertificate = (address: string) =>
  call(requestsCopy.readCertificate, (options) => client.POST('/api/v1/certificate', { body: { address }, ...options }))
