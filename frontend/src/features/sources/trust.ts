/** Which certificate a source's settings accept, and where its stored secrets may be sent. */

import type { Field, Values } from '../../kit/form/schema'

/** The format, in a settings schema, of the field that a fingerprint is pinned in. */
export const PIN_FORMAT = 'certificate-sha256'
const AUTHORITY = 'ca_pem'

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
export const isElsewhere = (fields: readonly Field[], values: Values, stored: Values) =>
  fields.some(({ name, destination }) => destination && entered(values[name]) !== (stored[name] ?? null))

const entered = (value: unknown) => (value === '' ? null : (value ?? null))

const isGiven = (value: unknown) => typeof value === 'string' && value !== ''
