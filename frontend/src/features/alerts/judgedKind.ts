/** Things with a latency of their own, as the API's addresses name them. */

import type { JudgedKind } from '../../api/diagnoses'
import type { AlertOut } from '../../api/types'

type Kind = AlertOut['subject']['kind']

const KINDS: Partial<Record<Kind, JudgedKind>> = {
  datastore: 'datastores',
  vm: 'vms',
  host: 'hosts',
  volume: 'volumes',
  array: 'arrays',
}

export const judgedKindOf = (kind: Kind) => KINDS[kind]
