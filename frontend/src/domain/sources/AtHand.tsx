/** What whoever adds a source needs before beginning, as the API says it of each kind. */

import { Stack } from '@mantine/core'
import type { SourceKind } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { Worded } from '../../kit/text/Worded'

export function AtHand({ kinds, isNamed = false }: { kinds: readonly SourceKind[]; isNamed?: boolean }) {
  return (
    <Stack className="breaks pretty" gap={10} maw="78ch" ta="left">
      {kinds.map(({ kind, title, at_hand }) => (
        <p key={kind}>
          <strong>{isNamed ? title : sourcesCopy.prerequisites}:</strong> <Worded>{at_hand}</Worded>
        </p>
      ))}
    </Stack>
  )
}
