/** What it means that a source is switched off, and for whoever may the way to switch it on again. */

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeSource } from '../../api/commands'
import { useSession } from '../../api/session'
import type { SourceOut } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { Worded } from '../../kit/text/Worded'
import styles from './SourcesPage.module.css'

export function SwitchedOff({ source: { id, name } }: { source: SourceOut }) {
  const { isAdmin } = useSession()
  const client = useQueryClient()
  const on = useMutation({
    mutationFn: () => changeSource(id, { enabled: true }),
    onSuccess: () => client.invalidateQueries(),
  })
  return (
    <div className="grid inset-below gap-8">
      <div className="note row wrap gap-10">
        <p>
          {sourcesCopy.pausedText}
          {on.error && (
            <span className={styles.owed} role="alert">
              {sourcesCopy.resumeFailed} <Worded>{on.error.message}</Worded>
            </span>
          )}
        </p>
        {isAdmin && (
          <Button
            className="fixed"
            size="xs"
            variant="default"
            loading={on.isPending}
            onClick={() => on.mutate()}
            aria-label={sourcesCopy.resumeNamed(name)}
          >
            {sourcesCopy.resume}
          </Button>
        )}
      </div>
    </div>
  )
}
