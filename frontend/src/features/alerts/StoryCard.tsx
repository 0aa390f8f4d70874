import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { lateQuery } from '../../api/alerts'
import type { AlertDetail } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import { askedFor, shownLate } from '../../domain/alerts/late'
import { Card } from '../../kit/layout/Card'
import { columnWidths } from '../../kit/layout/columns'
import { StateMark } from '../../kit/mark/StateMark'
import { Failure } from '../../kit/state/Failure'
import { serverNow } from '../../lib/clock'
import { usePreferences } from '../../lib/preferences'
import { visibleName } from '../../lib/text'
import { formatInstant } from '../../lib/time'
import styles from './Alerts.module.css'
import { storyOf, windowOf } from './story'

/** What happened, in the order of time. */
export function StoryCard({ alert }: { alert: AlertDetail }) {
  const { zone } = usePreferences()
  const now_ms = serverNow()
  const window = windowOf(alert, now_ms)
  const late = useQuery(lateQuery(askedFor(window, now_ms), alert.subject))
  const { from_ms, to_ms } = window
  const chapters = useMemo(
    () => storyOf(alert, shownLate(late.data ?? [], { kind: 'fixed', from_ms, to_ms }, to_ms)),
    [alert, late.data, from_ms, to_ms],
  )
  return (
    <Card title={alertsCopy.timeline} hint={alertsCopy.timelineHint}>
      {late.data === undefined && <Failure title={alertsCopy.lateNotLoaded} error={late.error} />}
      <ol className="list" aria-label={alertsCopy.timeline}>
        {chapters.map((chapter) => (
          <li
            key={chapter.key}
            className={`${styles.chapter} columns ruled gap-words`}
            style={columnWidths('210px 130px minmax(0, 1fr)', 'max-content minmax(0, 1fr)')}
          >
            <span className="numeric muted">{formatInstant(chapter.at_ms, zone)}</span>
            <StateMark tone={chapter.tone} word={chapter.what} shape={chapter.shape} />
            <span className="breaks across-on-phones">
              {chapter.isLate && <span className="pill small">{alertsCopy.lateMark}</span>} {visibleName(chapter.how)}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
