/** Names come from outside: any length, any script, any control character. They are shown, never interpreted. */
import * as gapsCopy from '../copy/gaps'
import * as unitsCopy from '../copy/units'

const TAIL_LENGTH = 10
// Shorter names fit into every column.
const SHORTEST_CUT = 10
const MAKE_VISIBLE = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Control and direction-override characters as visible marks, so that a name cannot rearrange the line it stands in. */
export function visibleName(name: string): string {
  return name.replace(MAKE_VISIBLE, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '�'
  })
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Splits a name so that its middle can be cut: datastore and VM names differ at the end. Never inside an emoji. */
export function splitForMiddle(name: string, tailLength = TAIL_LENGTH): { head: string; tail: string } {
  const parts = [...graphemes.segment(name)].map((part) => part.segment)
  if (parts.length < SHORTEST_CUT) return { head: name, tail: '' }
  const tail = Math.min(tailLength, Math.floor(parts.length / 2))
  return { head: parts.slice(0, -tail).join(''), tail: parts.slice(-tail).join('') }
}

const DNS_NAME = /^([a-z0-9-]+)((?:\.[a-z0-9-]+)*\.[a-z]{2,})$/i

/** The parts of a name by what is cut first: of "esx-11.lab.example" the domain, which all hosts have in common. */
export function partsForCut(name: string): { head: string; tail: string; domain: string } {
  const [, label = name, domain = ''] = DNS_NAME.exec(name) ?? []
  return { ...splitForMiddle(label), domain }
}

/** "esx-05.lab.example" → "esx-05". */
export const withoutDomain = (name: string): string => DNS_NAME.exec(name)?.[1] ?? name

/** A word of the pages’ own at the beginning of a line: "datastore" → "Datastore". */
export const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

const STREAMS: Record<string, string> = {
  array_volume: gapsCopy.arrayVolume,
  array_directory: gapsCopy.arrayDirectory,
  array_wide: gapsCopy.arrayWide,
  array_port: gapsCopy.arrayPort,
  host_device: gapsCopy.hostDevice,
  host_cpu: gapsCopy.hostCpu,
  vm_disk: gapsCopy.vmDisk,
}

/** "array_volume" → "array volume"; one word as it is. */
export const streamName = (stream: string): string => STREAMS[stream] ?? stream

/** "1 host", "3 hosts". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}

const POWER: Record<string, string> = { poweredOn: unitsCopy.poweredOn, poweredOff: unitsCopy.poweredOff }

/** "poweredOn" → "powered on". */
export const powerWord = (state: string): string => POWER[state] ?? state

const DATASTORE_TYPES: Record<string, string> = {
  vmfs: 'VMFS',
  vvol: 'vVol',
  nfs: 'NFS',
  nfs41: 'NFS 4.1',
  vsan: 'vSAN',
}

/** "vmfs" → "VMFS". */
export function datastoreType(type: string): string {
  return DATASTORE_TYPES[type.toLowerCase()] ?? type
}
