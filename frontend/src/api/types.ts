/** The API's answers under short names. */

import type { components } from './schema'

type Schemas = components['schemas']

export type SourceOut = Schemas['SourceOut']
export type SourceKind = Schemas['SourceKindOut']
export type SourceChange = Schemas['SourceChange']
export type StreamOut = Schemas['StreamOut']
export type RunOut = Schemas['RunOut']
export type GapOut = Schemas['GapOut']
export type Preflight = Schemas['PreflightOut']
export type Check = Schemas['CheckOut']
export type Certificate = Schemas['CertificateOut']
export type SignedIn = Schemas['SignedIn']
export type Ref = Schemas['Ref']
export type Sides = Schemas['Sides']
export type Match = Schemas['Match']
export type DatastoreRow = Schemas['DatastoreRow']
export type DatastoreOut = Schemas['DatastoreOut']
export type VmRow = Schemas['VmRow']
export type VmOut = Schemas['VmOut']
export type HostRow = Schemas['HostRow']
export type HostOut = Schemas['HostOut']
export type VolumeRow = Schemas['VolumeRow']
export type VolumeOut = Schemas['VolumeOut']
export type DeviceOut = Schemas['DeviceOut']
export type Series = Schemas['Series']
export type SearchHit = Schemas['SearchHit']
export type Settings = SourceOut['settings']

/** One event of the live stream; OpenAPI describes no event bodies. */
export interface LiveUpdate {
  revision: number
}

/** The body of every error answer (RFC 9457). */
export interface Problem {
  detail: string
  errors: { field: string; message: string }[]
}
