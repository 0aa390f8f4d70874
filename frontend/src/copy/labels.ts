/** Owners, labels, and what a guest reports. */

export const owner = 'Owner'
export const application = 'Application'
export const sharedOwner = (name: string, percent: number, owners: number) =>
  `${name} ${percent} % of VMs, ${owners} owners`
export const moreValues = (values: string, more: number) => `${values} and ${more} more`
export const more = (count: number) => `and ${count} more`
export const dnsName = 'DNS name'
export const ipAddresses = 'IP addresses'
export const folder = 'Folder'
export const tools = 'Guest tools'
export const TOOLS_STATES = { running: 'running', not_running: 'not running', not_installed: 'not installed' } as const
