/** The API's answers under short names. */

import type { components, paths } from './schema'

type Schemas = components['schemas']

export type SourceOut = Schemas['SourceOut']
export type SourceKind = Schemas['SourceKindOut']
export type SourceChange = Schemas['SourceChange']
export type StreamOut = Schemas['StreamOut']
export type ClockOut = Schemas['ClockOut']
export type RunOut = Schemas['RunOut']
export type GapOut = Schemas['GapOut']
export type Preflight = Schemas['PreflightOut']
export type Check = Schemas['Check']
export type Certificate = Schemas['Certificate']
export type SignedIn = Schemas['SignedIn']
export type Ref = Schemas['EntityRef']
export type Sides = Schemas['NewestSides']
export type Match = Schemas['ArrayMatch']
export type Kept = Schemas['Kept']
export type LabelName = Schemas['LabelName']
export type LabelMeanings = Schemas['LabelMeaningsOut']
export type Guests = Schemas['GuestsOut']
export type GuestToken = Schemas['GuestTokenOut']
export type GuestScript = Schemas['GuestScriptOut']
export type FileImport = Schemas['ImportOut']
export type DatabaseFile = Schemas['DatabaseFile']
export type ImportIn = Schemas['ImportIn']
export type TestRun = Schemas['ComparedRun']
export type TestRunChanges = Schemas['RunChanges']
export type GuestDisk = Schemas['GuestDiskOut']
export type Unmatched = Schemas['UnmatchedPage']
export type UnmatchedRow = Schemas['UnmatchedRecord']
export type DatastoreRow = Schemas['ListedDatastore']
export type DatastoreOut = Schemas['DatastoreDetail']
export type VmRow = Schemas['ListedVm']
export type VmOut = Schemas['VmDetail']
export type HostRow = Schemas['ListedHost']
export type HostOut = Schemas['HostDetail']
export type VolumeRow = Schemas['VolumeRecord']
export type VolumeOut = Schemas['VolumeDetail']
export type ArrayRow = Schemas['ListedArray']
export type ArrayOut = Schemas['ArrayDetail']
export type DeviceOut = Schemas['DeviceRow']
export type Series = Schemas['Series']
export type SearchHit = Schemas['SearchHit']
export type Summary = Schemas['SummaryOut']
export type Happened = Schemas['HappenedOut']
export type Diagnosis = Schemas['Diagnosis']
export type Sentence = Schemas['SentenceOut']
export type Evidence = Schemas['EvidenceNumber']
export type Cause = Schemas['CauseOut']
export type CauseObject = Schemas['CauseObject']
export type CauseCandidate = Schemas['CandidateOut']
export type LayerScore = Schemas['LayerScore']
export type Waterfall = Schemas['Waterfall']
export type Occupancy = Schemas['Occupancy']
export type Hops = Schemas['Hops']
export type EnvironmentLatency = Schemas['Latency']
export type Contributor = Schemas['Contributor']
export type HostOnDatastore = Schemas['HostLatencyRow']
export type Deltas = Schemas['Deltas']
export type Overview = Schemas['OverviewOut']
export type OverviewRow = Schemas['RankedObject']
export type ObjectGroup = Schemas['ObjectGroup']
export type GroupsPage = Schemas['GroupsOut']
/** In a list; on a page there are volumes without a standing. */
export type ListedVolume = Schemas['ListedVolume']
type OverviewSearch = NonNullable<paths['/api/v1/overview']['get']['parameters']['query']>
/** What lists and the overview can be narrowed by. */
export type ListFilters = Omit<
  OverviewSearch,
  'kind' | 'sort' | 'order' | 'limit' | 'offset' | 'from' | 'to' | 'confidence'
>
export type DiagnosisSeverity = NonNullable<Schemas['Diagnosis']['severity']>
export type Confidence = NonNullable<Schemas['Diagnosis']['confidence']>
export type JudgedState = Schemas['Diagnosis']['state']
export type Layer = Schemas['OccupancyNumbers']['layers'][number]
export type WhatIf = Schemas['WhatIfOut']
export type WhatIfExample = Schemas['WhatIfExample']
export type WhatIfBody = Schemas['WhatIfIn']
export type WhatIfScenario = Schemas['ScenarioIn']
export type WhatIfChange = Schemas['PredictedChange']
export type Backtest = Schemas['BacktestOut']
export type TestedChange = Schemas['TestedChangeOut']
export type FindingRow = Schemas['FindingOut']
export type FindingDetail = Schemas['FindingDetail']
export type FindingsPage = Schemas['FindingsPage']
export type FindingAdvice = Schemas['Advice']
export type AdviceTrial = Schemas['AdviceTrial']
export type AdviceCommand = Schemas['AdviceCommand']
export type FindingEvidence = Schemas['FindingEvidence']
export type FindingTable = Schemas['FindingTable']
export type AcceptIn = Schemas['AcceptIn']
export type Settings = SourceOut['settings']
export type AlertsNow = Schemas['AlertsNow']
export type AlertOut = Schemas['AlertOut']
export type AlertDetail = Schemas['AlertDetail']
export type AlertMessage = Schemas['AlertMessageOut']
export type AlertState = AlertOut['state']
export type Severity = AlertOut['severity']
export type LateOut = Schemas['LateOut']
export type Transition = Schemas['TransitionRow']
export type RuleBody = Schemas['RuleBody']
export type RuleOut = Schemas['RuleOut']
export type RulesFile = Schemas['RulesFile']
export type Condition = RuleOut['when'][number]
export type QuantityUse = Schemas['QuantityUse']
export type Preview = Schemas['Preview']
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
export type Trial = Schemas['Trial']
export type NotificationOut = Schemas['NotificationOut']
export type NotificationDetail = Schemas['NotificationDetail']
export type NotificationState = NotificationOut['state']

/** One event of the live stream; OpenAPI describes no event bodies. */
export interface LiveUpdate {
  /** When it was published. */
  at: string
  revision: number
  /** What got new rows; "ledger": minutes were attributed. */
  streams?: string[]
}

/** The body of every error answer (RFC 9457). */
export interface Problem {
  detail: string
  errors: { field: string; message: string }[]
}
