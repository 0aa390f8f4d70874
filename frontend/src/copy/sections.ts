/** Tabs and sections of an object's page. */

export const tabs = 'Sections'
export const summary = 'Summary'
export const path = 'Path'
export const counters = 'Counters'
export const findings = 'Findings'
export const openFindings = (count: string) => `${count} open`
export const events = 'Events'
export const details = 'Diagnosis details'
export const noEvents = 'No events in this window'
export const noGapsText = 'Every interval of this window has samples.'
export const noEventsText = 'No alerts, gaps or changes were recorded for this object.'
