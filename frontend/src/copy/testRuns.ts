/** Test runs: what a load tool measured in a VM, or on a datastore or volume, beside the layers of the same minutes. */

export const hint = {
  vms: 'the tool’s own figures beside the layers of the VM, or of one disk, mean per I/O',
  datastores: 'the tool’s own figures beside the layers of the datastore with the I/Os of all VMs on it, mean per I/O',
  volumes: 'the tool’s own figures beside the layers of the volume with the I/Os of all hosts, mean per I/O',
} as const
export const nouns = { vms: 'VM', datastores: 'datastore', volumes: 'volume' } as const
export const diskNoun = 'disk'
export const drops = {
  fio: 'Drop results of fio on this card (JSON, with its latency logs together; or a zip of them). Run: fio … --direct=1 --lat_percentiles=1 --write_lat_log=run --log_avg_msec=1000 --output-format=json+ --output=run.json',
  vdbench: 'Drop flatfile.html (or totals.html) of vdbench’s output folder on this card.',
  diskspd: 'Drop results of diskspd on this card. Run: diskspd … -Sh -L -Rxml > run.xml',
  iometer: 'Drop results.csv of Iometer on this card.',
  sqlio: 'Drop what sqlio prints on this card. Run: sqlio … -LS -BN > run.txt',
  hcibench:
    'Drop the folder of a test of HCIBench on this card as a zip or tar (on the page of its datastore: a run per VM, and their sum), or its summary (its name ends in -res.txt).',
} as const
export const toolNames = {
  fio: 'fio',
  vdbench: 'vdbench',
  diskspd: 'diskspd',
  iometer: 'Iometer',
  sqlio: 'sqlio',
  hcibench: 'HCIBench',
} as const
export const toolChoice = 'Load tool'
export const diskChoice = 'Virtual disk'
export const diskHint = 'Where the tool ran on one of them: the layers are then those of this disk'
export const wholeVm = 'Whole VM'
export const onDisk = (disk: string) => `on ${disk}`
export const removedDisk = 'a removed disk'
export const offsetChoice = 'UTC offset'
export const offsetHint = 'Time zone of the machine that ran it'
export const startedChoice = 'Started at'
export const startedHint = 'Where the file has no date'
export const aheadChoice = 'Clock ahead by'
export const aheadHint = 'How far the clock of the machine that ran it is ahead of that of the hosts'
export const clock = (offset: string, kind: keyof typeof nouns) =>
  `${kind === 'vms' ? 'VM clock' : 'clock'} ${offset}, as given`
export const empty = 'No test runs yet'
export const emptyText = {
  vms: 'Run fio in this VM with --output-format=json+ --output=run.json and drop the file on this card, or: gavel import fio run.json --vm NAME. Also vdbench, diskspd, Iometer, sqlio and HCIBench.',
  datastores:
    'Drop on this card the result of a load tool that ran on this datastore from several VMs, or: gavel import hcibench FILE --datastore NAME. What ran in one VM is imported on the page of that VM.',
  volumes:
    'Drop on this card the result of a load tool that ran on this volume from outside any VM, or: gavel import fio run.json --volume NAME. What ran in one VM is imported on the page of that VM.',
} as const
export const emptyReader = {
  vms: 'An admin imports results of load tools here, or in a terminal: gavel import fio run.json --vm NAME',
  datastores:
    'An admin imports results of load tools here, or in a terminal: gavel import fio run.json --datastore NAME',
  volumes: 'An admin imports results of load tools here, or in a terminal: gavel import fio run.json --volume NAME',
} as const
export const table = 'Test runs beside layers'
export const scrolls = 'Test runs beside layers, scrolls'
export const run = 'Run'
export const ios = 'I/Os'
export const directions = { all: 'All', read: 'Reads', write: 'Writes' } as const
export const iops = 'IOPS'
export const iopsOf = (what: string, iops: string) => `${what} ${iops}`
export const bandwidth = 'Bandwidth'
export const mean = 'Mean'
export const p50 = 'p50'
export const p95 = 'p95'
export const p99 = 'p99'
export const p999 = 'p99.9'
export const slowest = 'Max'
export const remainder = 'Remainder'
export const remainderMeaning = {
  vms: 'Remainder: the tool’s mean latency − the total latency of the VM’s I/Os. It lies outside all measured layers: in the guest where that is not measured. Below 0, slower I/Os of others are in the minutes.',
  datastores:
    'Layers hold the I/Os of all VMs on the datastore. Remainder: the tool’s mean latency − the total latency of these I/Os; as far as the tool did not do all of them, it is also the difference between both.',
  volumes:
    'Layers hold the I/Os of all monitored hosts on the volume. Remainder: the tool’s mean latency − the total latency of these I/Os; as far as the tool did not do all of them, it is also the difference between both.',
} as const
export const compare = 'Compare'
export const compareNamed = (run: string) => `Compare ${run}`
export const compareHint = 'Select two runs to compare them.'
export const remove = 'Remove'
export const archive = (runs: number, leftOut: number) =>
  `${runs} test ${runs === 1 ? 'run' : 'runs'}, ${leftOut} left out`
export const leftOut = 'Left out'
export const leftOutNamed = (file: string) => `Left out of ${file}`
export const leftOutList = 'Left out, with reasons'
export const removeNamed = (file: string) => `Remove ${file}`
export const tool = (name: string, version: string, file: string) => `${[name, version].join(' ').trim()} · ${file}`
export const settings = (block: string | null, outstanding: string | null) =>
  [
    ...(block === null ? [] : [`block size ${block}`]),
    ...(outstanding === null ? [] : [`≤ ${outstanding} outstanding`]),
  ].join(' · ')
export const timeUnknown = 'Time not in the file'
export const partial = 'No whole minute within the run: its minutes hold time beside it.'
export const notAnalyzed = 'The ledger has no minute of this run.'
export const coarse = (resolution: string) => `Minutes are no longer kept: layers are of ${resolution} steps.`
export const otherIos = (what: string, ratio: string) =>
  `The ${what} did ${ratio} × the I/Os of the tool in these minutes.`
export const changes = 'Changes between runs'
export const changesHint = (before: string, after: string) => `${before} → ${after}`
export const changesTable = 'Changes between runs'
export const changesScroll = 'Changes between runs, scrolls'
export const figure = 'Figure'
export const before = 'Before'
export const after = 'After'
export const change = 'Change'
export const notComparable = 'not measured in one of them'
export const noCommon = 'These runs have no I/Os of one direction in common.'
export const older = 'Older'
export const newer = 'Newer'
export const pages = (first: number, last: number, total: number) => `${first}–${last} of ${total}`
export const figuresOf = (tool: string) => `Seen by ${tool}`
export const layersOf = 'Measured by Gavel'
export const showLatency = 'Latency over time'
export const showLatencyNamed = (run: string) => `Latency over time of ${run}`
export const bundleName = (first: string, logs: number) => `${first} + ${logs} ${logs === 1 ? 'log' : 'logs'}`
export const latencyOverTime = 'Latency over time'
export const latencyOf = (run: string) => `Latency of ${run} over time`
export const latencyLabel = (tool: string, run: string, what: string) =>
  `Latency of ${run} over time as ${tool} logged it, over the ${what}’s layers of the same minutes, reads and writes apart`
export const latencyNumbers = (run: string, what: string) => `Latency of ${run} over time and the ${what}’s layers`
export const grain = (tool: string, step: string, averages: string | null, layers: string) =>
  `${tool} one point per ${step}${averages === null ? ', of every I/O' : `, from averages of ${averages}`}; layers one per ${layers}`
export const panelHint = 'latency per I/O'
export const totalOfLayers = 'Total of layers'
export const phases = {
  lat: (tool: string) => `${tool} latency`,
  clat: (tool: string) => `${tool} completion`,
  slat: (tool: string) => `${tool} submission`,
} as const
export const slowestIo = 'Slowest I/O'
export const slowestOf = (tool: string) => `${tool} slowest I/O`
export const slowestHint = 'reads solid, writes dashed'
