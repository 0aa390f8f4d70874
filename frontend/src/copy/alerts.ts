/** Alerts, their history, timeline and deliveries. */

export const badgeCount = (count: string, word: string, rule: string) => `${count}, worst ${word}: ${rule}`
export const badge = (word: string, more: string, count: string, rule: string) =>
  `${word}${more}: ${count}, worst ${rule}`
export const active = 'Active alerts'
export const notLoaded = 'not loaded'
export const pendingCount = (count: string) => `${count} pending`
export const notAnalyzed = 'Not analyzed yet'
export const inRange = 'Alerts in range'
export const noneInRange = 'No alerts in this range'
export const noneActive = 'No active alerts'
export const noneOnObject = (noun: string) => `None on this ${noun}`
export const more = (count: number) => `${count} more`
export const on = 'on'
export const sinceTitle = (instant: string) => `since ${instant}`
export const began = 'started'
export const ago = 'ago'
export const cutBoth = 'began before this window, continued after it'
export const cutStart = 'began before this window'
export const cutEnd = 'continued after this window'
export const limitLine = (condition: string) => `Alert: ${condition}`
export const firedEvent = (severity: string, rule: string, object: string) =>
  `Alert fired (${severity}): ${rule} on ${object}`
export const firedLabel = (about: string) => `${about} fired`
export const endedEvent = (state: string, rule: string, object: string) => `Alert ${state}: ${rule} on ${object}`
export const lateEvent = (rule: string, object: string, minutes: number) =>
  `Late detection: ${rule} on ${object}, ${minutes} min; not notified`
export const lateLabel = (about: string) => `${about}, detected late`
export const noData = 'no data'
export const totalLatency = 'Total latency'
export const shareOfTotal = 'Share of total'
export const excessLatency = 'Excess latency'
export const baselineRatio = 'Ratio to baseline'
export const excessOutstanding = 'Excess outstanding I/O'
export const queueUtilization = 'Queue utilization'
export const inconsistency = 'Counter inconsistency'
export const sampleAge = 'Age of last sample'
export const clockSkew = 'Clock skew'
export const missingLastHour = 'Missing in last hour'
export const openFindings = 'Open findings'
/** "Open findings (device-queue-full, elevated or high)". */
export function findingsOf(rule: string | null, severity: 'normal' | 'elevated' | 'high' | null): string {
  const least = severity === 'elevated' ? 'elevated or high' : severity === 'high' ? 'high' : null
  const which = [rule, least].filter((one) => one !== null).join(', ')
  return which === '' ? openFindings : `${openFindings} (${which})`
}
export const findingsCondition = (what: string, count: string) => `${what} ≥ ${count}`
export const direction = (direction: string) => `, ${direction}s`
export const shareOf = (whole: string, direction: string) => `Share of ${whole}${direction}`
export const shareOfInside = (whole: string, direction: string) => `share of ${whole}${direction}`
export const aboveBaseline = (whole: string, direction: string) => `${whole} above baseline${direction}`
export const versusBaseline = (whole: string, direction: string) => `${whole} vs. baseline${direction}`
export const timesBaselineValue = (times: string) => `${times} × baseline`
export const ios = (count: string) => `${count} I/Os`
export const days = (days: number) => `${days} d`
export const daysHours = (days: number, hours: number) => `${days} d ${hours} h`
export const atLeast = (value: string) => `≥ ${value} (lower bound)`
export const peak = (value: string) => `peak ${value}`
export const whenFired = 'when it fired'
export const at = (time: string) => `at ${time}`
export const belowThreshold = 'below threshold'
export const otherCondition = 'another condition no longer holds'
export const immediately = 'immediately'
export const forTime = (time: string) => `for ${time}`
export const allObjects = (objects: string) => `All ${objects}`
export const objectsWith = (objects: string, selectors: string) => `${objects} with ${selectors}`
export const acknowledgeTitle = 'Acknowledge alert'
export const acknowledgeText = '. No further notifications until it resolves.'
export const yourName = 'Your name'
export const yourNameHint = 'No user accounts yet: others see this name.'
export const nameRequired = 'A name is required.'
export const note = 'Note'
export const noteHint = 'What is being done about it.'
export const acknowledgeFailed = 'Not acknowledged'
export const acknowledge = 'Acknowledge'
export const noLatency = 'No latency'
export const noLatencyText = (noun: string) => `Gavel stores no latency of a ${noun}.`
export const noDiagnosis = (measure: string) => `${measure}: no diagnosis`
export const threshold = 'Threshold:'
export const evidence = 'Evidence:'
export const acknowledgeOrSilence = 'acknowledge or silence it'
export const firedAt = (at: string) => `fired ${at}, `
export const openFor = 'open for'
export const lasted = (time: string) => `lasted ${time}`
export const acknowledgedByName = (name: string) => `acknowledged by ${name}`
export const unacknowledge = 'Unacknowledge'
export const silenceThis = 'Silence'
export const runbook = 'Runbook'
export const unacknowledgeFailed = 'Not unacknowledged'
export const open = 'Open'
export const notAnAlert = (text: string) => `Not an alert ID: “${text}”`
export const idExpected = 'The address of an alert ends in its ID.'
export const alertGone = 'It is past retention, or the address is wrong.'
export const alertList = 'Alert list'
export const timeline = 'Timeline'
export const deliveries = 'Deliveries'
export const details = 'Details'
export const acknowledgeOrSilenceAlerts = 'acknowledge or silence alerts'
export const noneSent = 'No notifications sent'
export const noneSentText = 'See “Notified” in the details.'
export const channelsRoute = 'define the routing.'
export const channel = 'Channel'
export const event = 'Event'
export const delivery = 'Delivery'
export const attempts = 'Attempts'
export const response = 'Response'
export const timesNote =
  '“Since” in a diagnosis is the onset of the excess latency. “First minute” is the first above the rule’s threshold. Late detections count for neither.'
export const layerAtTrigger = 'Layer at trigger'
export const peakTerm = 'Peak'
export const firstMinute = 'First minute'
export const fired = 'Fired'
export const notYet = 'not yet'
export const thresholdCleared = 'Threshold cleared'
export const ended = 'Resolved'
export const location = 'Location'
export const notified = 'Notified'
export const routing = 'Routing'
export const suppressed = (reason: string) => `suppressed: ${reason}`
export const atEnd = ' at its end'
export const noLowerBound = 'no lower bound'
export const peakValue = (value: string, bound: string, instant: string) => `${value}${bound}, minute from ${instant}`
export const ruleOrObject = 'rule or object'
export const filterBySeverity = 'Filter by severity'
export const anySeverity = 'Any severity'
export const history = 'History'
export const noHistory = 'No alerts in this window'
export const noHistoryText = 'Choose a longer or an earlier window above.'
export const noMatch = 'No matching alert'
export const noMatchText = 'Clear the filters, or choose a longer window above.'
export const historyTable = 'Alert history'
export const rule = 'Rule'
export const severity = 'Severity'
export const duration = 'Duration'
export const late = 'Late detections'
export const lateHint = 'Data arrived after the notification window'
export const lateText = 'These minutes were above a threshold. Their data arrived too late to notify.'
export const openAlerts = 'Open'
export const openTable = 'Open alerts'
export const noDataTitle = 'No data'
export const noDataHint = 'Data stopped while firing; not counted as resolved'
export const noDataTable = 'Alerts without data'
export const pendingTitle = 'Pending'
export const pendingHint = 'Above the threshold, hold time not reached'
export const pendingTable = 'Pending alerts'
export const firingCount = (count: number) => `${count} firing`
export const recoveringCount = (count: number) => `${count} recovering`
export const attendedCount = (count: number) => `${count} acknowledged or silenced`
export const noRules = 'No rule enabled'
export const noRulesText = 'Without rules no alert can fire.'
export const openRules = 'Open rules'
export const noneFiring = 'No alerts firing'
export const rulesUnknown = 'Rules are'
export const ruleIs = 'rule is'
export const rulesAre = 'rules are'
export const cleared = 'Cleared'
export const now = 'Now'
export const diagnosisNow = 'Diagnosis now'
export const channelsUnknown = 'unknown: channels not loaded'
export const toChannels = (channels: string) => `to ${channels}`
export const matchingOnly = 'matching channels only:'
export const noChannel = 'No channel accepts this alert: no notification.'
export const deliveryUnknown = 'Notification status unknown: channels not loaded.'
export const noChannels = 'No notification channel configured: alerts are not sent.'
export const noneEnabled = 'No notification channel enabled: alerts are not sent.'
export const channelsFailing = (channels: string) => `${channels} failing: notifications are queued and retried.`
export const channelsDisabled = (channels: string) => `Gavel disabled ${channels}: notifications are not sent.`
export const undelivered = (messages: string) => `${messages} not delivered.`
export const openChannels = 'Open channels'
export const timelineHint = 'By analyzed minute'
export const lateNotLoaded = 'Late detections not loaded'
export const lateMark = 'late'
export const alert = 'Alert'
export const lastValue = 'last value'
export const diagnosisAtTrigger = 'Diagnosis at trigger'
export const diagnosisSoFar = 'Diagnosis'
export const value = 'Value'
export const ruleOnObject = (rule: string, object: string) => `${rule} on ${object}`
export const acknowledgeAlert = (alert: string) => `Acknowledge ${alert}`
export const silenceAlert = (alert: string) => `Silence ${alert}`
export const started = (zone: string) => `Started (${zone})`
export const stillOpen = 'open'
export const staleSince = (time: string) => `no newer data since ${time}`
export const notMeasured = (measure: string, at: string) => `${measure} not measured ${at}`
export const staleThen = (time: string, value: string) => `no newer data since ${time}; last value ${value}`
export const timeAgo = (time: string) => `${time} ago`
export const belowLimit = (just: string, limit: string) => `${just}below ${limit}`
export const aboveLimit = (limit: string) => `above ${limit}`
export const aboveLimitLower = (limit: string) => `above ${limit} (lower bound)`
export const aboveLimitEstimate = (limit: string) => `above ${limit} (estimate only)`
export const recovering = (since: string) => `Recovering ${since}: below threshold, resolve time not reached`
export const noDataSince = (since: string) => `No data ${since}: not counted as resolved`
export const stillDominant = (layer: string) => `diagnosis unchanged: ${layer}`
export const noLayer = (layer: string) => `No dominant layer now: ${layer} at trigger`
export const layerCleared = (layer: string, since: string) => `${layer} no longer the dominant layer ${since}`
export const otherLayer = (layer: string, before: string) => `Dominant layer now: ${layer}; at trigger: ${before}`
export const notification = 'Notification'
export const resolveNotification = 'Resolve notification'
export const noDataNotification = 'No-data notification'
export const queued = 'queued'
export const superseded = 'superseded'
export const undeliveredState = 'not delivered'
export const lateDetection = 'Late detection'
export const aboveThreshold = (time: string, peak: string) => `${time} above the threshold, peak ${peak}`
export const tooLate = 'too late to notify'
export const detectedLater = (time: string) => `detected ${time} later`
export const byName = (name: string, note: string) => `by ${name}${note}`
export const acknowledgedEvent = 'Acknowledged'
export const since = (time: string) => `since ${time}`
export const belowLowerBound = (threshold: string) => `lower bound below ${threshold}`
export const belowEstimate = (threshold: string) => `below ${threshold}`
export const byLowerBound = ' (lower bound)'
export const byEstimate = ' (estimate)'
export const timesCondition = (whole: string, threshold: string, basis: string, direction: string) =>
  `${whole} ≥ ${threshold}${basis}${direction}`
export const condition = (measure: string, threshold: string, basis: string) => `${measure} ≥ ${threshold}${basis}`
export const inactive = 'inactive'
export const pending = 'pending'
export const firing = 'firing'
export const recoveringState = 'recovering'
export const resolved = 'resolved'
export const endedState = 'ended'
export const cluster = 'cluster'
export const clusters = 'clusters'
export const source = 'source'
export const sources = 'sources'
export const and = ' and '
export const just = 'just '
export const never = 'never'
export const delivered = 'delivered'
export const notificationNoun = 'notification'
export const attempt = 'attempt'
export const evaluated = 'evaluated every minute.'
export const alertNoun = 'alert'
