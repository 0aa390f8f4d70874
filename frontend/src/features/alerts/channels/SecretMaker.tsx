/** A secret that messages of a webhook are signed with: `whsec_` and 32 random bytes in base64, as receivers of Standard Webhooks read it. */

import { Button } from '@mantine/core'
import * as channelsCopy from '../../../copy/channels'

/** The format, in a settings schema, of the list that takes such secrets. */
export const SECRET_FORMAT = 'signing-secret'

export function generatedSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}

interface SecretMakerProps {
  /** What is entered so far. */
  secrets: readonly string[]
  onChange: (secrets: string[]) => void
}

export function SecretMaker({ secrets, onChange }: SecretMakerProps) {
  const entered = secrets.filter((secret) => secret.trim() !== '')
  return (
    <div className="grid gap-4">
      <Button variant="default" size="xs" w="fit-content" onClick={() => onChange([...entered, generatedSecret()])}>
        {channelsCopy.generateSecret}
      </Button>
      {entered.length > 0 && <p className="muted">{channelsCopy.copySecret}</p>}
    </div>
  )
}
