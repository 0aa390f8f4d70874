/** Which certificate a source's settings accept, and where its stored secrets may be sent. */

import type { Field, Values } from '../../components/form/schema'

/** The format, in a settings schema, of the field that a fingerprint is pinned in. */
export const PIN_FORMAT = 'certificate-sha256'
const AUTHORITY = 'ca_pem'
/** As the server has it (pipeline/sources.py): a stored secret is only sent to the place it was entered for. */
const BOUND = ['address', AUTHORITY, 'fingerprint_sha256']

/** What these settings trust now, other than the system's authorities. */
export type Trusted = 'fingerprint' | 'authority' | null

export function trustedBy(fields: readonly Field[], values: Values): Trusted {
  const pin = fields.find(({ format }) => format === PIN_FORMAT)
  if (pin && isGiven(values[pin.name])) return 'fingerprint'
  return isGiven(values[AUTHORITY]) ? 'authority' : null
}

/** The settings with this certificate pinned. It takes the place of an authority: the server takes one of both. */
export function withPin(fields: readonly Field[], values: Values, sha256: string): Values {
  return Object.fromEntries(
    fields.map(({ name, format }) => [name, format === PIN_FORMAT ? sha256 : name === AUTHORITY ? '' : values[name]]),
  )
}

/** Whether these settings would send secrets to another place than the stored ones do. */
export const isElsewhere = (values: Values, stored: Values) =>
  BOUND.some((name) => (isGiven(values[name]) ? values[name] : null) !== (stored[name] ?? null))

const isGiven = (value: unknown) => typeof value === 'string' && value !== ''
