/** The alerts that stand now for what a page shows, each in one line that leads to it. The line is there when nothing fires, too: nothing moves when something does. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { alertsDuringQuery, alertsNowQuery } from '../../api/alerts'
import type { AlertOut, AlertsNow } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import * as commonCopy from '../../copy/common'
import { StateMark } from '../../kit/mark/StateMark'
import { Name, NameLink } from '../../kit/text/Name'
import { usePreferences } from '../../lib/preferences'
import type { Range } from '../../lib/range'
import { formatInstant } from '../../lib/time'
import { useRange } from '../../lib/url'
import styles from './AlertsLine.module.css'
import { TickingAge } from './TickingAge'
import {
  alertStateMark,
  boundWords,
  formatAmount,
  measureWords,
  type Subject,
  severityMark,
  subjectWord,
  whenWords,
  worstWords,
} from './words'

interface AlertsLineProps {
  /** Which of all open alerts belong here, the most important first. */
  choose: (alerts: readonly AlertOut[]) => readonly AlertOut[]
  /** What the page is about: its name is not repeated. */
  of?: { kind: Subject; id: number }
  most?: number
}

export function AlertsLine(props: AlertsLineProps) {
  const [range] = useRange()
  return range.kind === 'fixed' ? <InRange {...props} range={range} /> : <Active {...props} />
}

function Active({ choose, of, most = 3 }: AlertsLineProps) {
  const { data, error } = useQuery(alertsNowQuery())
  return (
    <section
      className="flex wrap baseline narrow gap-words"
      aria-label={alertsCopy.active}
      aria-busy={data === undefined && error === null}
    >
      <span className="fixed muted">{alertsCopy.active}</span>
      {data === undefined ? (
        <span className="faint">{error === null ? '…' : alertsCopy.notLoaded}</span>
      ) : (
        <Standing now={data} choose={choose} of={of} most={most} />
      )}
    </section>
  )
}

/** Of a range that stands still: the alerts that were open in it, whatever has become of them. */
function InRange({ choose, of, most = 3, range }: AlertsLineProps & { range: Range }) {
  const { data, error } = useQuery(alertsDuringQuery(range, null))
  const alerts = data === undefined ? [] : choose(data.items)
  const title = alertsCopy.inRange
  return (
    <section
      className="flex wrap baseline narrow gap-words"
      aria-label={title}
      aria-busy={data === undefined && error === null}
    >
      <span className="fixed muted">{title}</span>
      {data === undefined ? (
        <span className="faint">{error === null ? '…' : alertsCopy.notLoaded}</span>
      ) : alerts.length === 0 ? (
        <span className="inline wrap gap-words">
          <StateMark
            tone="calm"
            word={of === undefined ? alertsCopy.noneInRange : alertsCopy.noneOnObject(subjectWord(of.kind))}
          />
        </span>
      ) : (
        <Lines alerts={alerts} of={of} most={most} isPast more={moreWords(alerts, most, '')} />
      )}
    </section>
  )
}

const moreWords = (alerts: readonly AlertOut[], most: number, waiting: string) =>
  [alerts.length > most ? alertsCopy.more(alerts.length - most) : '', waiting].filter(Boolean).join(', ')

interface StandingProps extends Required<Pick<AlertsLineProps, 'choose' | 'most'>> {
  now: AlertsNow
  of: AlertsLineProps['of']
}

function Standing({ now, choose, of, most }: StandingProps) {
  const open = choose(now.alerts)
  const pending = choose(now.pending).length
  const waiting = pending === 0 ? '' : alertsCopy.pendingCount(pending.toLocaleString('en-US'))
  if (open.length === 0)
    return (
      <span className="inline wrap gap-words">
        {now.analyzed_until_at === null ? (
          <StateMark tone="calm" word={alertsCopy.notAnalyzed} />
        ) : (
          <StateMark
            tone="good"
            word={of === undefined ? alertsCopy.noneActive : alertsCopy.noneOnObject(subjectWord(of.kind))}
          />
        )}
        {waiting !== '' && <Link to={'/alerts' as string}>{waiting}</Link>}
      </span>
    )
  return <Lines alerts={open} of={of} most={most} more={moreWords(open, most, waiting)} />
}

interface LinesProps extends Pick<StandingProps, 'of' | 'most'> {
  alerts: readonly AlertOut[]
  more: string
  isPast?: boolean
}

function Lines({ alerts, of, most, more, isPast = false }: LinesProps) {
  return (
    <>
      <ul className={`${styles.alerts} stack narrow gap-2`}>
        {alerts.slice(0, most).map((alert) => (
          <li key={alert.id} className="flex wrap baseline narrow breaks tap gap-words">
            <OneAlert
              alert={alert}
              isOwn={of?.kind === alert.subject.kind && of.id === alert.subject.id}
              isPast={isPast}
            />
          </li>
        ))}
      </ul>
      {more !== '' && (
        <Link to={'/alerts' as string} className="fixed">
          {more}
        </Link>
      )}
    </>
  )
}

/** `isPast`: its age and state of today are no part of the range. */
function OneAlert({ alert, isOwn, isPast }: { alert: AlertOut; isOwn: boolean; isPast: boolean }) {
  const { zone } = usePreferences()
  const began_ms = Date.parse(alert.started_at)
  const [bound, worst] = [boundWords(alert), worstWords(alert)]
  const state = alertStateMark(alert.state, alert.severity)
  return (
    <>
      <StateMark {...severityMark(alert.severity)} />
      <span className={`${styles.name} inline gap-6`}>
        <NameLink to={`/alerts/${alert.id}`}>{alert.rule_name}</NameLink>
      </span>
      {!isOwn && (
        <span className={`${styles.name} inline gap-6`}>
          <span className="fixed nowrap">
            {alertsCopy.on} {subjectWord(alert.subject.kind)}
          </span>
          <Name focusable>{alert.subject.name}</Name>
        </span>
      )}
      <span className="tabular" title={measureWords(alert.measure)}>
        {formatAmount(alert.value, alert.measure.unit)}
        <span className="muted">
          {bound !== null && `, ${bound}`} {whenWords(alert, zone)}
          {worst !== null && `, ${worst}`}
        </span>
      </span>
      <span className="muted numeric" title={alertsCopy.sinceTitle(formatInstant(began_ms, zone))}>
        {isPast ? (
          alertsCopy.sinceTitle(formatInstant(began_ms, zone))
        ) : (
          <>
            {alertsCopy.began} <TickingAge at_ms={began_ms} /> {alertsCopy.ago}
          </>
        )}
      </span>
      {!isPast && alert.state !== 'firing' && <StateMark {...state} />}
      {!isPast && alert.acknowledged_at !== null && (
        <span className="muted">{alertsCopy.acknowledgedByName(alert.acknowledged_by ?? commonCopy.unknown)}</span>
      )}
      {!isPast && alert.quiet !== null && <span className="muted">{alert.quiet}</span>}
    </>
  )
}
