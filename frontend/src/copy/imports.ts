/** Files that are imported: captures of esxtop, their upload, their host and what they change. */

export const title = 'Imports'
export const file = 'file'
export const run = 'test run'
export const choose = 'Choose files'
export const drop =
  'Drop esxtop captures on this card (CSV, gzip, or a zip of one). On the ESXi host: esxtop -b -a -d 5 -n 61 > capture.csv'
export const dropName = 'Files to import'
export const empty = 'No imports yet'
export const emptyText =
  'A capture narrows the bounds of its minutes to ± 0.005 ms on every vSphere version. Drop one on this card.'
export const list = 'Imports'
export const uploads = 'Uploads'
export const uploadFailed = (file: string) => `${file}: not uploaded`
export const tieFailed = 'Host not chosen'
export const remove = 'Remove'
export const runsAndLeftOut = (runs: string, leftOut: number) => (leftOut === 0 ? runs : `${runs}, ${leftOut} left out`)
export const removeTitle = 'Remove import'
export const removeRestores =
  'The minutes it narrows are attributed again without it. To use it again, upload the file again.'
export const removeRuns = 'Its test runs are deleted; of an archive, those of all its VMs. No other number changes.'
export const removeReading = 'The uploaded part is deleted.'
export const removeNamed = (file: string) => `Remove ${file}`
export const states = {
  uploading: 'Uploading',
  waiting: 'Waiting',
  reading: 'Reading',
  ready: 'Ready',
  failed: 'Failed',
} as const
export const narrows = 'Narrows bounds'
export const alone = 'Not used'
export const progress = (done: string, size: string) => `${done} of ${size}`
export const waiting = 'waiting for the connection'
export const left = (time: string) => `${time} left`
export const interrupted = 'Choose the same file again to go on with it.'
export const hostOf = (host: string) => `Host ${host}`
export const noHost = (called: string) => `Host not chosen (the file says ${called})`
export const devices = (matched: string, all: string) => `${matched} of ${all} devices`
export const clock = (offset: string) => `clock ${offset}`
export const byCorrelation = (correlation: string) => `aligned by I/Os, correlation ${correlation}`
export const byHand = 'offset as given'
export const hostChoice = (host: string, correlation: string | null) =>
  correlation === null ? `Use ${host}` : `Use ${host} (correlation ${correlation})`
