/** From what addresses call a kind of thing to what the API calls one of them. */

import type { JudgedKind } from '../../api/diagnoses'

const SUBJECTS = {
  datastores: 'datastore',
  vms: 'vm',
  hosts: 'host',
  volumes: 'volume',
  arrays: 'array',
} as const satisfies Record<JudgedKind, string>

export const subjectOf = (kind: JudgedKind, id: number) => ({ kind: SUBJECTS[kind], id })

/** One object of a kind that is diagnosed. */
export interface DiagnosedObject {
  kind: JudgedKind
  id: number
  name: string
}
