/** Silences and maintenance windows. */

export const addWindow = 'Add maintenance window'
export const windowText = 'Alerts fire and are shown; notifications are suppressed.'
export const day = 'Day'
export const firstDay = 'First day'
export const from = 'From'
export const durationMin = 'Duration (min)'
export const zoneHint = 'Follows daylight saving time.'
export const repeats = 'Repeats'
export const on = 'On'
export const lastDay = 'Last day'
export const lastDayHint = 'Empty: no end.'
export const noCondition = 'No condition.'
export const none = 'None'
export const openAlert = 'open alert'
export const matchNow = (count: string, alerts: string, verb: string) => `${count} of ${alerts} ${verb} now.`
export const matchesAll = 'No condition: suppresses notifications of all alerts.'
export const silenceAll = 'Silence all alerts'
export const confirmAll = 'Confirm all alerts, or add a condition above.'
export const matchingAlerts = 'Matching alerts'
export const labelRow = (number: number) => `Label ${number}`
export const operatorRow = (number: number) => `Operator ${number}`
export const isNot = 'is not'
export const patternRow = (number: number) => `Pattern ${number}`
export const addCondition = 'Add condition'
export const wildcardHint = '* matches any text, ? one character. All conditions must hold.'
export const halfHour = '30 minutes'
export const oneHour = '1 hour'
export const twoHours = '2 hours'
export const eightHours = '8 hours'
export const oneDay = '1 day'
export const oneWeek = '7 days'
export const untilTime = 'until a time'
export const futureTime = 'Choose a future time.'
export const reasonRequired = 'A reason is required.'
export const add = 'Add silence'
export const conditionRequired = 'At least one condition is required.'
export const endsAt = (instant: string) => `Ends ${instant}`
export const until = (zone: string) => `Until (${zone})`
export const atTime = 'At'
export const saveFailed = 'Not silenced'
export const silence = 'Silence'
export const conditionMissing = 'Without a condition all alerts would be silenced: add one.'
export const conditionIncomplete = 'Every condition needs a label and a pattern.'
export const todo = 'add or end silences'
export const removeTitle = 'Remove silence?'
export const removeSilence = 'The silence for'
export const removeText = 'and its reason are deleted.'
export const removeWindowTitle = 'Remove maintenance window?'
export const removeWindowText = 'no longer suppresses notifications.'
export const endFailed = 'Not ended'
export const noneYet = 'No silences'
export const noneYetText = 'A silence suppresses notifications for some hours. “Silence” on an alert fills one in.'
export const windows = 'Maintenance windows'
export const noWindows = 'No maintenance windows'
export const noWindowsText =
  'A maintenance window suppresses notifications at known times: once for a firmware update, or every Saturday night for patches.'
export const hours = (label: string) => `${label}, hours`
export const minutes = (label: string) => `${label}, minutes`
export const isPattern = (label: string, not: string, pattern: string) => `${label} is ${not}${pattern}`
export const active = 'active'
export const upcoming = 'upcoming'
export const activeNow = 'active'
export const inactive = 'inactive'
export const nextStart = (moment: string, zone: string) => `next ${moment} ${zone}`
export const forMatching = (conditions: string) => `For ${conditions}`
export const fromZone = (zone: string) => `From (${zone})`
export const reasonBy = 'Reason, author'
export const openAlerts = 'Open alerts'
export const silenceFor = (conditions: string) => `silence for ${conditions}`
export const endNamed = (silence: string) => `End ${silence}`
export const end = 'End'
export const window = 'Window'
export const monday = 'Monday'
export const tuesday = 'Tuesday'
export const wednesday = 'Wednesday'
export const thursday = 'Thursday'
export const friday = 'Friday'
export const saturday = 'Saturday'
export const sunday = 'Sunday'
export const everyDay = 'every day'
export const everyWeek = 'every week'
export const clock = (start: string, length: string, zone: string) => `from ${start} for ${length}, ${zone}`
export const daily = 'Every day'
export const weekly = (days: string) => `Every ${days}`
export const untilSuffix = (day: string) => `, until ${day}`
export const schedule = (days: string, clock: string, first: string, last: string) =>
  `${days} ${clock}, since ${first}${last}`
export const dayRequired = 'Choose a day.'
export const timeRequired = 'Choose a time.'
export const minuteRequired = 'At least one minute.'
export const zoneRequired = 'Time zone is required.'
export const weekdayRequired = 'Choose a day of the week.'
export const matches = 'matches'
export const match = 'match'
export const expired = 'expired'
export const once = 'once'
export const allAlerts = 'all alerts'
export const not = 'not '
export const is = 'is'
