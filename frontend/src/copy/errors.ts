/** What a call was about, and what failed. */

export const noData = 'No data from Gavel'
export const noResponse = 'No response from Gavel'
export const unexplained = (status: number) => `Gavel responded with status ${status} and no explanation.`
export const timeout = (deadline_s: number) => `No response from Gavel within ${deadline_s} s.`
export const unreachable = 'Gavel is unreachable. It may be restarting, or the network is down.'
export const retryNow = 'Retry now'
export const nothingLoaded = 'No data has been loaded yet.'
export const showingUntil = (clock: string) => `Showing data up to ${clock}.`
export const pageNotFound = 'Page not found'
export const pageNotFoundText = 'The address may be mistyped, or the page belongs to another version of Gavel.'
export const openOverview = 'Open overview'
export const updated = 'Gavel was updated while this page was open. Reload to get the new version.'
export const pageFailed = 'Page failed'
export const reload = 'Reload'
export const loadFailed = (what: string) => `Could not load ${what}`
export const sectionFailed = 'This section failed'
export const sectionFailedText = (message: string) =>
  `${message}. The other sections are not affected. Reload the page if it fails again.`
export const showAgain = 'Show again'
export const removedAtSource = 'It may have been removed at its source.'
export const dialogFailed = 'This could not be loaded. Gavel is unreachable, or was updated while this page was open.'
export const failingSince = (what: string, time: string) => `${what} since ${time}.`
export const retrying = 'Retrying every 15 s.'
export const liveInterrupted = (clock: string) =>
  `Live updates interrupted since ${clock}. Polling every 15 s; reconnects automatically.`
export const failingLastTried = (since: string, age: string) =>
  `Failing since ${since}. Last tried ${age} ago; retried every 15 s.`
export const staleSince = (what: string, since: string) => `${what} since ${since}:`
export const showingStale = 'Showing the last data received; retrying every 15 s.'
