import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Ref } from '../../api/types'
import * as listsCopy from '../../copy/lists'
import { leastWidth } from '../../kit/layout/columns'
import { EntityLink } from './EntityLink'

/** As many as anybody looks through; more cost a page its speed. */
const FIRST = 50

/** Many links side by side; of very many the first ones, and all of them on request. */
export function RefList({ refs, label }: { refs: readonly Ref[]; label: string }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? refs : refs.slice(0, FIRST)
  return (
    <>
      <ul
        className="tiles gap-wrap"
        style={{ ...leastWidth(200), maxHeight: 320, overflow: 'auto' }}
        aria-label={label}
      >
        {shown.map((ref) => (
          <li key={`${ref.kind}-${ref.id}`} className="flex narrow">
            <EntityLink to={ref} />
          </li>
        ))}
      </ul>
      {refs.length > shown.length && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setWhole(true)}>
          {listsCopy.showAll(refs.length.toLocaleString('en-US'))}
        </Button>
      )}
    </>
  )
}
