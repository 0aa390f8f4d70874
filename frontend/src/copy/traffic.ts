/** Counters of an array as a whole and of its target ports over time. */

export const wholeArray = 'Whole array'
export const wholeArrayOf = (name: string) => `${name}, whole array`
export const targetPorts = 'Target ports over time'
export const transmitted = 'Transmitted'
export const received = 'Received'
export const transmittedBy = (port: string) => `${port} transmitted`
export const receivedBy = (port: string) => `${port} received`
export const crcErrorsOf = (port: string) => `${port} CRC errors`
export const errorsOf = (port: string) => `${port} errors`
export const lineRate = (rate: string) => `Line rate ${rate}`
export const lineRateOf = (port: string) => `${port} line rate`
export const lineRateCounter = 'network-interfaces: speed'
export const peakOfLine = (share: string, rate: string) => `peak ${share} of ${rate}, one way`
export const peakAlone = (rate: string) => `peak ${rate} one way, line rate not reported`
export const busiestPorts = (shown: number, all: number) => `${shown} busiest of ${all}, all in the table and CSV`
export const exportTitle = (name: string) => `Target ports of ${name}`
export const pictureLabel = (name: string, ports: string) =>
  `Throughput of the target ports of ${name} over time: ${ports}`
export const numbersLabel = (name: string) => `Counters: target ports of ${name}`
export const keptFor = (length: string) => `samples are kept for ${length}`
export const notKept = (length: string) => `Target ports: samples are kept for ${length}`
export const noSamplesOfArray = 'No samples of the whole array'
export const noSamplesOfArrayText =
  'The array’s own totals were not collected in this window. New sources deliver the first samples within three minutes.'
export const noPorts = 'No target ports'
export const noPortsText = 'The inventory of this array has no Fibre Channel, iSCSI or NVMe port.'
export const noSamplesOfPorts = 'No samples of target ports'
export const noSamplesOfPortsText =
  'Their traffic was not collected in this window. New sources deliver the first samples within three minutes.'
export const olderThanKept = (length: string, from: string) =>
  `Samples of target ports are kept for ${length}, without roll-ups, and this window ends before that. Choose one after ${from}.`
