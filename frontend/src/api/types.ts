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
export type Unmatched = Schemas['UnmatchedPage']
export type UnmatchedRow = Schemas['UnmatchedRow']
export type DatastoreRow = Schemas['DatastoreRow']
export type DatastoreOut = Schemas['DatastoreOut']
export type VmRow = Schemas['VmRow']
export type VmOut = Schemas['VmOut']
export type HostRow = Schemas['HostRow']
export type HostOut = Schemas['HostOut']
export type VolumeRow = Schemas['VolumeRow']
export type VolumeOut = Schemas['VolumeOut']
export type ArrayRow = Schemas['ArrayRow']
export type ArrayOut = Schemas['ArrayOut']
export type DeviceOut = Schemas['DeviceOut']
export type Series = Schemas['Series']
export type SearchHit = Schemas['SearchHit']
export type Verdict = Schemas['VerdictOut']
export type Sentence = Schemas['SentenceOut']
export type Evidence = Schemas['EvidenceOut']
export type Waterfall = Schemas['WaterfallOut']
export type Occupancy = Schemas['OccupancyOut']
export type Hops = Schemas['HopsOut']
export type Contributor = Schemas['ContributorOut']
export type Delta = Schemas['DeltaOut']
export type Overview = Schemas['OverviewOut']
export type OverviewRow = Schemas['OverviewRow']
export type Certainty = Schemas['VerdictOut']['certainty']
export type JudgedState = Schemas['VerdictOut']['state']
export type Layer = Schemas['OccupancyLayerOut']['layers'][number]
export type Settings = SourceOut['settings']

/** One event of the live stream; OpenAPI describes no event bodies. */
export interface LiveUpdate {
  revision: number
  /** What got new rows; "ledger": minutes were attributed. */
  streams?: string[]
}

/** The body of every error answer (RFC 9457). */
export interface Problem {
  detail: string
  errors: { field: string; message: string }[]
}
