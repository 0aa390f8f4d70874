/** Things with a latency of their own, as the API's addresses name them. */

import type { AlertOut } from '../../api/types'
import type { JudgedKind } from '../../api/verdicts'

type Kind = AlertOut['subject']['kind']

const KINDS: Partial<Record<Kind, JudgedKind>> = {
  datastore: 'datastores',
  vm: 'vms',
  host: 'hosts',
  volume: 'volumes',
  array: 'arrays',
}

export const judgedKindOf = (kind: Kind) => KINDS[kind]
