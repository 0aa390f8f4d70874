/** Findings: list, one finding with advice and evidence, and who accepts it. */

export const table = 'Findings'
export const finding = 'Finding'
export const whatToDo = 'What to do'
export const nextStep = 'What to do:'
export const allAdvice = 'Steps and commands'
export const since = 'Since'
export const severity = 'Severity'
export const open = 'Open'
export const accepted = 'Accepted'
export const cleared = 'Cleared'
export const openAndAccepted = 'Open and accepted'
export const allStates = 'All states'
export const anySeverity = 'Any severity'
export const anyRule = 'Any rule'
export const filterNoun = 'finding, rule or object'
export const stateFilter = 'State of findings'
export const severityFilter = 'Severity of findings'
export const ruleFilter = 'Rule'
export const sortOrder = 'Sort order'
export const worstFirst = 'Worst first'
export const latestFirst = 'Latest first'
export const oldestFirst = 'Oldest first'
export const byObject = 'By object'
export const byRule = 'By rule'
export const ruleCount = (title: string, count: string) => `${title} (${count})`
export const stateCount = (count: string, state: string) => `${count} ${state}`
export const openWord = 'open'
export const acceptedWord = 'accepted'
export const clearedWord = 'cleared'
export const highWord = 'high'
export const elevatedWord = 'elevated'
export const normalWord = 'normal'
export const evaluatedAt = (clock: string) => `Evaluated ${clock}`
export const notEvaluated = 'Not evaluated yet'
export const unevaluated = 'Rules not evaluated'
export const unevaluatedHint = 'No findings on these objects until what the rule needs is measured'
export const csv = 'Save as CSV'
export const concerns = (count: string) => `and ${count} more`
export const none = 'No findings'
export const noneText =
  'No rule reports anything that is open or accepted. Cleared findings are listed under their state.'
export const noneOfObject = 'No finding on this object or on what it uses is open or accepted.'
export const notEvaluatedText =
  'Rules are evaluated every five minutes, for the first time once the inventory of a source was read.'
export const noMatch = 'No findings match'
export const noMatchText = 'Clear the search or choose other filters.'
export const notAFinding = (text: string) => `“${text}” is not a finding`
export const idExpected = 'A finding has a number. See'
export const gone = 'It was removed with its object. See'
export const list = 'all findings'
export const todo = 'accept findings'
export const object = 'Object'
export const rule = 'Rule'
export const raised = 'Raised'
export const lastSeen = 'Last seen'
export const acceptedUntil = (by: string, until: string) => `Accepted by ${by} until ${until}`
export const acceptedForGood = (by: string) => `Accepted by ${by}, no end`
export const clearedAt = (clock: string) => `Cleared ${clock}`
export const readOnlyHint = 'Gavel changes nothing: commands are copied and run by you'
export const evidence = 'Evidence'
export const derivedHint = '≈ calculated from other counters'
export const derived = (value: string) => `≈ ${value}`
export const counter = 'Counter'
export const value = 'Value'
export const time = 'Time'
export const odd = 'differs'
export const oddHint = 'Differs from what most of the others have.'
export const tableScroll = (title: string) => `${title}, scrolls`
export const headerUnit = (label: string, unit: string) => `${label}, ${unit}`
export const affected = 'Also affected'
export const affectedList = 'Affected objects'
export const firstOf = (shown: string, all: string) => `first ${shown} of ${all}`
export const aboutRule = 'About this rule'
export const raisedWhen = 'Raised when'
export const clearedWhen = 'Cleared when'
export const blindSpots = 'Blind spots'
export const references = 'References'
export const referenceDate = (title: string, date: string) => `${title} (${date})`
export const history = 'History'
export const change = (before: string, after: string) => `${before} → ${after}`
export const byItself = 'by itself'
export const by = (who: string) => `by ${who}`
export const repair = 'Repair'
export const spread = 'Spread the load'
export const limit = 'Limit'
export const setting = 'Setting'
export const vendor = 'Vendor'
export const live = 'Takes effect at once'
export const reboot = 'Needs a reboot'
export const reconnect = 'Needs a reconnect'
export const agree = (teams: string) => `Agree with: ${teams}`
export const storage = 'storage'
export const virtualization = 'virtualization'
export const nextLimit = (what: string) => `Next limit: ${what}`
export const commandOn = (name: string, where: string) => `${name} · ${where}`
export const fromTo = (current: string, target: string) => `${current} → ${target}`
export const changeCommand = 'Change'
export const undoCommand = 'Undo'
export const showCommand = 'Show'
export const commands = (count: string) => `Commands (${count})`
export const copyNamed = (what: string) => `Copy: ${what}`
export const copyCommand = 'Copy'
export const selected = 'Selected, press Ctrl+C'
export const accept = 'Accept'
export const acceptTitle = 'Accept finding'
export const acceptText =
  'It stays listed as accepted and opens again after the time below, or when its evidence doubles.'
export const why = 'Reason'
export const whyRequired = 'Enter a reason.'
export const until = 'Until'
export const oneWeek = 'One week'
export const oneMonth = '30 days'
export const quarter = '90 days'
export const noEnd = 'No end'
export const untilAt = (instant: string) => `Opens again ${instant}`
export const acceptFailed = 'Not accepted'
export const withdraw = 'Withdraw acceptance'
export const withdrawFailed = 'Acceptance not withdrawn'
export const predicting = 'Predicting …'
export const predicted = (before: string, after: string) => `Predicted: latency ${before} → ${after}`
export const predictedIops = (before: string, after: string) => `${before} → ${after}`
export const predictedNeighbors = (before: string, after: string) => `other VMs of the queue ${before} → ${after}`
export const notPredictable = (reason: string) => `Effect not predicted: ${reason}`
export const openWhatIf = 'Open what-if'
