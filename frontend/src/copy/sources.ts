/** Sources: states, streams, runs, certificates, unmatched objects. */

export const prerequisites = 'Prerequisites'
export const noSources = 'No sources yet'
export const missingSources = 'Missing sources'
export const bothSidesNeeded = 'A diagnosis needs counters of hosts and arrays'
export const firstSourceText =
  'Gavel needs an array and a vCenter. It only reads from them and never changes a setting. Prerequisites:'
export const waiting = 'Waiting'
export const paused = 'Paused'
export const live = 'Live'
export const delayed = 'Delayed'
export const failing = 'Failing'
export const noneYet = 'No sources yet.'
export const addBoth = 'Add an array and a vCenter'
export const toDiagnose = 'to start the analysis.'
export const freshness = 'Source freshness'
export const oneRow = 'Show one row'
export const showAll = (count: string) => `Show all ${count}`
export const readCertificate = 'Read certificate'
export const needsAddress = 'Enter the address above first.'
export const readCertificateHint = 'Shows whether this machine trusts it. Compare a self-signed one, then pin it.'
export const certificateOptional = 'Optional: Test also offers to pin a self-signed certificate.'
export const noCertificate = 'No certificate'
export const trusted = 'Trusted by this machine'
export const notTrusted = 'Not trusted by this machine'
export const issuedBy = ', issued by'
export const validUntil = ', valid until'
export const compareFingerprint =
  'Compare this SHA-256 fingerprint with the one that its administrator gives you, or that a browser shows for the certificate of the source’s own page, opened from a network that you trust.'
export const pinned = 'Pinned'
export const pinCompared = 'Pin compared certificate'
export const replacesFingerprint =
  'Replaces the fingerprint given above. Pin it only if the certificate was renewed: otherwise the connection may be intercepted.'
export const replacesAuthority = 'Replaces the certificate authority given above.'
export const seenFingerprint = 'SHA-256 fingerprint of the presented certificate:'
export const pinMeaning =
  'Once pinned, Gavel accepts exactly this certificate from this source, self-signed or not, and no other. First compare the fingerprint with the one that the source’s own console shows, or a browser on its own page, opened from a network that you trust.'
export const pinAndTest = 'Pin certificate and test again'
export const testPassed = 'Test passed'
export const testFailed = 'Test failed'
export const removeTitle = 'Remove source?'
export const removeStops = 'Gavel stops polling'
export const removeSettings = 'and deletes its settings and secrets.'
export const allInventory = 'All its inventory'
export const itsInventory = (inventory: string) => `Its ${inventory}`
export const removeData = 'and all their samples and diagnoses are deleted.'
export const cannotBeUndone = 'This cannot be undone'
export const addedAgain = ': added again, it starts with the history that the source still has.'
export const pauseInsteadText = 'Paused, it is not polled; all data is kept.'
export const pauseFailed = 'Not paused'
export const pauseInstead = 'Pause instead'
export const openGap = 'open gap'
export const gapsAndRuns = (open: string) => `Gaps and runs${open}`
export const address = 'Address'
export const notSet = 'not set'
export const version = 'Version'
export const identity = 'Identity'
export const clockSkew = 'Clock skew'
export const skewToGavel = (skew: string) => `${skew} to Gavel`
export const hostClockSkew = 'Host clock skew'
export const inventory = 'Inventory'
export const sinceInstant = (instant: string) => ` since ${instant}`
export const displayName = 'Display name'
export const poll = 'Poll source'
export const testNotRun = 'Test not run'
export const anyway = ' anyway'
export const testSavesNothing = 'A test saves nothing.'
export const passedNotSaved = 'Test passed, not saved yet.'
export const notSavedYet = 'Not saved yet.'
export const noGaps = 'None since the first run.'
export const lastRuns = (count: number) => `Last ${count} runs`
export const allRuns = (count: number) => `All runs: ${count}`
export const noRuns = 'None yet. The first run starts within seconds.'
export const showLast = 'Show last'
export const startedZone = (zone: string) => `Started (${zone})`
export const queue = 'Queue'
export const duration = 'Duration'
export const calls = 'Calls'
export const received = 'Received'
export const samples = 'Samples'
export const newSamples = 'New samples'
export const result = 'Result'
export const runs = 'Runs'
export const unknownObjects = (count: string) => `${count} samples for unknown objects`
export const todo = 'add or edit sources'
export const firstRun =
  ' The first run starts within seconds: it reads the inventory, then the last samples; a large site takes minutes.'
export const interval = 'Interval'
export const seconds = (count: number) => `${count} s`
export const lag = 'Lag'
export const sampleRate = 'New samples/s (5 min)'
export const noneYetShort = 'none yet'
export const dataThrough = 'Data through'
export const samplesReadNew = 'Samples (read/new)'
export const openGaps = 'Open gaps'
export const nothingRead = (detail: string) => `No data yet.${detail}`
export const streamsOf = (name: string) => `Streams of ${name}`
export const noDataYet = 'no data yet'
export const pausedText =
  'Paused: not polled. When resumed, Gavel backfills what was missed, as far as the source’s own history goes back.'
export const resumeFailed = 'Not resumed:'
export const resumeNamed = (name: string) => `Resume ${name}`
export const resume = 'Resume'
export const testResult = 'Test result'
export const testRunning = 'Test running …'
export const showExpected = 'Show expected'
export const unmatched = 'Unmatched'
export const byReview = 'Filter by review'
export const byType = 'Filter by type'
export const toReview = 'To review'
export const expected = 'Expected'
export const all = 'All'
export const toReviewMark = 'to review'
export const expectedMark = 'expected'
export const at = 'at'
export const from = 'from'
export const andMore = (count: number) => ` and ${count} more`
export const skewAbove = (limit: number) => `above the ${limit} s limit`
export const skewNear = (limit: number) => `near the ${limit} s limit`
export const skewRange = (lowest: string, highest: string) => `${lowest} to ${highest}`
export const lastGoodRun = 'Last successful run'
export const lastRun = 'Last run'
export const backfillOwed = (clock: string, zone: string, lag: string) =>
  `No data since ${clock} ${zone} (${lag}). Backfill pending: read from the source’s own history once it responds; what is no longer there stays a gap.`
export const yet = (none: string) => `${none} yet`
export const failedRun = 'failed'
export const readOnly = (read: string) => `${read} read`
export const readNew = (read: string, fresh: string) => `${read} read, ${fresh} new`
export const lateChanges = 'Late changes, 1 h'
export const completed = (count: string) => `${count} completed`
export const corrected = (count: string) => `${count} corrected`
export const arrayHost = 'array host'
export const arrayHosts = 'array hosts'
export const virtualDisks = 'virtual disks'
export const pausedLower = 'paused'
export const allMatched = 'all matched'
export const expectedCount = (count: string) => `${count} expected`
export const reviewCount = (open: string, rest: string) => `${open} to review${rest}`
export const anyType = 'Any type'
export const noMatch = 'No match'
export const noMatchText = 'Shorten or clear the filter, or choose another type.'
export const allMatchedTitle = 'All matched'
export const allMatchedText =
  'Every datastore, device and virtual disk has its volume, and every connected volume its device.'
export const nothingToReview = 'Nothing to review'
export const expectedText = (things: string) =>
  `${things} on one side only, as expected: local disks, or volumes of hosts without a vCenter.`
export const none = 'None'
export const allToReview = 'All one-sided objects need a review.'
export const enterAgain = (field: string) =>
  `${field} must be entered again: a stored one is only sent to the address it was entered for.`
export const device = 'device'
export const devices = 'devices'
export const allOf = 'all'
export const delayedLower = 'delayed'
export const succeeded = 'succeeded'
export const error = 'error'
export const never = 'never'
export const unmatchedNoun = 'unmatched'
export const path = 'path'
export const exportNoun = 'export'
export const object = 'object'
export const showMore = (left: string) => `Show more (${left} left)`
export const filterToSee = (left: string) => `${left} more: filter by name or type.`
export const checkSkipped = 'skipped'
export const notTested = (checks: string) => `Not tested after that: ${checks}.`
