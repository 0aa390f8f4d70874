/** The two sides of the evidence, and the way to it. */

import type { Evidence } from '../../api/types'
import * as countersCopy from '../../copy/counters'
import { plural } from '../../lib/text'

type Side = Evidence['side']

export interface SideWords {
  side: Side
  title: string
  nothing: string
}

/** In the order of an I/O's path. */
export const SIDES: readonly SideWords[] = [
  { side: 'host', title: countersCopy.sideHosts, nothing: countersCopy.noHostSamples },
  { side: 'array', title: countersCopy.sideArray, nothing: countersCopy.noArraySamples },
]

/** Things of which an array knows nothing: it counts whole volumes, with everybody's I/Os. */
const KNOWN_BY_HOSTS: readonly Evidence['subject']['kind'][] = ['vm', 'vm_disk', 'host', 'cluster']

/** What stands before the name of what was counted: of a VM or a host an array tells its volumes. */
export const leadOf = ({ side, subject }: Pick<Evidence, 'side' | 'subject'>): string =>
  side === 'array' && KNOWN_BY_HOSTS.includes(subject.kind) ? countersCopy.volumesOf : ''

const sourceKeys = ({ sources }: Pick<Evidence, 'sources'>) => sources.map(({ kind, id }) => [kind, id])

/** Whether two numbers are of one thing and were told by one source. */
export const isSameOrigin = (one: Origin, other: Origin) => originOf(one) === originOf(other)

type Origin = Pick<Evidence, 'subject' | 'sources'>
const originOf = ({ subject, sources }: Origin) => JSON.stringify([subject.kind, subject.id, sourceKeys({ sources })])

/** The first of those that are of one thing and from one source, of which there are most; null where each stands alone. */
export function usualOf(evidence: readonly Evidence[]): Evidence | null {
  const alike = Map.groupBy(evidence, originOf)
  const [most = []] = [...alike.values()].sort((a, b) => b.length - a.length)
  return most.length < 2 ? null : (most[0] ?? null)
}

/** The evidence's name in addresses. */
export const EVIDENCE = 'evidence'

let isAwaited = false

export const isEvidenceAsked = () => isAwaited || location.hash === `#${EVIDENCE}`

/** Brings the evidence into sight, and the keyboard with it; as soon as it is there, where it is still to come. */
export function goToEvidence(): void {
  const part = document.getElementById(EVIDENCE)
  isAwaited = part === null
  part?.scrollIntoView({ block: 'start' })
  part?.focus({ preventScroll: true })
}

/** "23 numbers of the hosts, 15 of the array": what is found there. */
export function evidenceWords(evidence: readonly Pick<Evidence, 'side'>[]): string {
  const count = (side: Side) => evidence.filter((one) => one.side === side).length
  const [hosts, array] = [count('host'), count('array')]
  if (hosts + array === 0) return countersCopy.noEvidence
  return countersCopy.evidenceCount(plural(hosts, countersCopy.counterNoun), array)
}
