/** The API's answers under short names. */

import type { components } from './schema'

type Schemas = components['schemas']

export type SourceOut = Schemas['SourceOut']
export type SourceKind = Schemas['SourceKindOut']
export type SourceChange = Schemas['SourceChange']
export type StreamOut = Schemas['StreamOut']
export type ClockOut = Schemas['ClockOut']
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
export type Diagnosis = Schemas['DiagnosisOut']
export type Sentence = Schemas['SentenceOut']
export type Evidence = Schemas['EvidenceOut']
export type Waterfall = Schemas['WaterfallOut']
export type Occupancy = Schemas['OccupancyOut']
export type Hops = Schemas['HopsOut']
export type EnvironmentLatency = Schemas['LatencyOut']
export type Contributor = Schemas['ContributorOut']
export type HostOnDatastore = Schemas['HostRowOut']
export type Deltas = Schemas['DeltasOut']
export type Overview = Schemas['OverviewOut']
export type OverviewRow = Schemas['OverviewRow']
export type DiagnosisSeverity = NonNullable<Schemas['DiagnosisOut']['severity']>
export type Confidence = NonNullable<Schemas['DiagnosisOut']['confidence']>
export type JudgedState = Schemas['DiagnosisOut']['state']
export type Layer = Schemas['OccupancyLayerOut']['layers'][number]
export type Settings = SourceOut['settings']
export type AlertsNow = Schemas['AlertsNow']
export type AlertOut = Schemas['AlertOut']
export type AlertDetail = Schemas['AlertDetail']
export type AlertMessage = Schemas['AlertMessageOut']
export type AlertState = AlertOut['state']
export type Severity = AlertOut['severity']
export type LateOut = Schemas['LateOut']
export type Transition = Schemas['TransitionOut']
export type RuleBody = Schemas['RuleBody']
export type RuleOut = Schemas['RuleOut']
export type RulesFile = Schemas['RulesFile']
export type Condition = RuleOut['when'][number]
export type QuantityUse = Schemas['QuantityOut']
export type Preview = Schemas['PreviewOut']
export type Matcher = Schemas['MatcherBody']
export type SilenceIn = Schemas['SilenceIn']
export type SilenceOut = Schemas['SilenceOut']
export type MaintenanceBody = Schemas['MaintenanceBody']
export type MaintenanceOut = Schemas['MaintenanceOut']
export type ChannelKind = Schemas['ChannelKindOut']
export type ChannelOut = Schemas['ChannelOut']
export type ChannelIn = Schemas['ChannelIn']
export type ChannelChange = Schemas['ChannelChange']
export type ChannelTrial = Schemas['ChannelTrial']
export type Trial = Schemas['TrialOut']
export type NotificationOut = Schemas['NotificationOut']
export type NotificationDetail = Schemas['NotificationDetail']
export type NotificationState = NotificationOut['state']

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
