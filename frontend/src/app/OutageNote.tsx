/** The one thing that a page says when Gavel is away: what, since when, what is shown meanwhile, and what is tried. */

import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLive } from '../api/live'
import { askAgain } from '../api/outage'
import * as errorsCopy from '../copy/errors'
import { Icon } from '../kit/mark/Icon'
import { Worded } from '../kit/text/Worded'
import { lostWords } from '../lib/errors'
import { type Outage, useOutage } from '../lib/outage'
import { usePreferences } from '../lib/preferences'
import { formatClock, type Zone, zoneName } from '../lib/time'
import styles from './Layout.module.css'

export function OutageNote() {
  const outage = useOutage()
  const { downSince_ms } = useLive()
  if (outage !== null) return <Away outage={outage} />
  return downSince_ms === null ? null : <StreamLost since_ms={downSince_ms} />
}

function Away({ outage }: { outage: Outage }) {
  const { zone } = usePreferences()
  const client = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  // Gavel tries again by itself, too: the button is busy only with what it was asked for.
  const tryNow = async () => {
    setAsked(true)
    await askAgain(client)
    setAsked(false)
  }
  return (
    <div className={`${styles.outage} row wrap gap-wrap`}>
      <span className="inline" data-tone="bad">
        <Icon name="warning" />
      </span>
      <p role="alert" className="pretty">
        <strong>
          {errorsCopy.failingSince(
            lostWords(outage.error),
            `${formatClock(outage.since_ms, zone, true)} ${zoneName(zone, outage.since_ms)}`,
          )}
        </strong>{' '}
        <Worded>{outage.error.message}</Worded> {shownWords(outage, zone)} {errorsCopy.retrying}
      </p>
      <Button variant="default" size="xs" loading={isAsked} onClick={() => void tryNow()}>
        {errorsCopy.retryNow}
      </Button>
    </div>
  )
}

/** What stands below the note meanwhile. */
function shownWords({ read_ms }: Outage, zone: Zone): string {
  if (read_ms === null) return errorsCopy.nothingLoaded
  return errorsCopy.showingUntil(formatClock(read_ms, zone, true))
}

function StreamLost({ since_ms }: { since_ms: number }) {
  const { zone } = usePreferences()
  return (
    <div className={`${styles.banner} row size-label gap-10`} role="status">
      <span className="inline" data-tone="warn">
        <Icon name="warning" />
      </span>
      {errorsCopy.liveInterrupted(formatClock(since_ms, zone, true))}
    </div>
  )
}
