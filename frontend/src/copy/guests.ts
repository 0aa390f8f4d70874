/** Guests that push: what comes, tokens, unmatched disks, and how to set up an agent. */

export const title = 'Guests'
export const add = 'Add guests'
export const off = 'Listener off'
export const offText =
  'Guests push the counters of their own disks to a listener. Start Gavel with GAVEL_INGEST_HOST set to the address that guests reach.'
export const nothingYet = 'No pushes yet'
export const nothingYetText = 'Add guests makes a token and shows the configuration of an agent.'
export const guest = 'guest'
export const disk = 'disk'
export const matched = (count: string) => `${count} matched`
export const lastPush = (ago: string) => `last push ${ago} ago`
export const tokens = 'Tokens'
export const lastUse = (ago: string) => `last use ${ago} ago`
export const neverUsed = 'not used yet'
export const onlyFor = (names: string) => `only ${names}`
export const anyVm = 'any VM'
export const notUsed = 'Lines not used'
export const revoke = 'Revoke'
export const revokeNamed = (name: string) => `Revoke ${name}`
export const revokeFailed = 'Not revoked'
export const unmatched = 'Unmatched disks'
export const unmatchedMark = 'Unmatched'
export const allMatched = 'All disks of guests are matched.'
export const moreUnmatched = (shown: number, total: number) => `${shown} of ${total} shown`
export const tie = (disk: string) => `Match with ${disk}`
export const tieFailed = 'Not matched'
export const reasons = {
  no_vm: 'No VM has this UUID, name or address.',
  several_vms: 'Several VMs share this name or UUID.',
  contradictory: 'Its UUID is that of a disk of another VM.',
  claimed_twice: 'Several guests or tokens claim one virtual disk.',
  no_identity: 'Nothing names the virtual disk: set disk.EnableUUID=TRUE for the VM, and send serial numbers.',
  not_a_whole_disk: 'A volume or file, shown by itself.',
} as const
export const byHand = (disk: number) => `By hand: \`gavel guest tie ${disk} VM scsi0:1\``
export const refusals = {
  malformed: 'malformed',
  too_long: 'too long',
  unknown_measurement: 'other measurement',
  no_disk: 'no disk',
  no_host: 'no host',
  not_a_disk: 'not a whole disk',
  no_counters: 'no counters',
  not_a_number: 'not a number',
  outside_time: 'outside the last 24 h',
  out_of_order: 'out of order',
  repeated: 'repeated',
  counter_reset: 'counter reset',
  gap: 'after a gap',
  clock_step: 'clock step',
  implausible: 'implausible',
  not_allowed: 'VM not allowed',
  too_many: 'too many disks or guests',
} as const
export const tokenName = 'Token name'
export const tokenNameHint = 'What it is called in the list of tokens.'
export const vmNames = 'Only these VMs'
export const vmNamesHint = 'Host names as the guests send them, divided by commas. Empty: any VM.'
export const generate = 'Generate token'
export const generateFailed = 'No token generated'
export const shownOnce = 'The token is shown once'
export const agent = 'Agent'
export const linux = 'Linux, Telegraf'
export const windows = 'Windows, Telegraf'
export const collector = 'OpenTelemetry'
export const linuxScript = 'Linux, script'
export const windowsScript = 'Windows, script'
export const run = {
  linux: (file: string) =>
    `Save as ${file}, then run as root: \`sh ${file} install\`. It pushes every 20 s by systemd, and needs curl or wget.`,
  windows: (file: string) =>
    `Save as ${file}, then run as administrator: \`powershell -ExecutionPolicy Bypass -File ${file} install\`. It pushes every minute by a scheduled task.`,
} as const
export const address = 'Listener address'
export const addressHint = 'As guests reach it.'
export const noAddress = 'No address: it begins with http:// or https://.'
export const text = 'Text to copy'
export const copyScript = 'Copy script'
export const copyConfiguration = 'Copy configuration'
export const unencrypted = 'Tokens travel unencrypted'
export const unencryptedText =
  'The listener has no certificate. Set GAVEL_INGEST_CERTIFICATE, or put a TLS proxy before it and give its address.'
