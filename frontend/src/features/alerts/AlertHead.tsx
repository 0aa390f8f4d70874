/** What somebody who was woken reads first: what it is about, whose latency it was, why, what holds now, and what to do. */

import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { takeBackAcknowledgement } from '../../api/alertCommands'
import { serverNow } from '../../api/serverClock'
import { useSession } from '../../api/session'
import type { AlertDetail } from '../../api/types'
import { TickingAge } from '../../components/alerts/TickingAge'
import {
  alertStateMark,
  atMinute,
  formatLength,
  headAndWhy,
  measureWords,
  severityMark,
  subjectTitle,
  subjectWord,
} from '../../components/alerts/words'
import { addressOf } from '../../components/EntityLink'
import { Name } from '../../components/Name'
import { onPress, useAhead } from '../../components/onPress'
import { ReadOnlyHint } from '../../components/ReadOnlyHint'
import { StateMark } from '../../components/StateMark'
import { usePreferences } from '../../lib/preferences'
import { rangeSearch } from '../../lib/range'
import { visibleName } from '../../lib/text'
import { useSearchParameter } from '../../lib/url'
import styles from './AlertPage.module.css'
import { Failure } from './Failure'
import { NowLines } from './NowLines'
import { matchersOf } from './silences/matchers'
import { windowOf } from './story'
import { useAlertCommand } from './useAlertCommand'
import { useRuleOf } from './useRuleOf'

const AcknowledgeDialog = onPress(async () => (await import('./AcknowledgeDialog')).AcknowledgeDialog)
const SilenceDialog = onPress(async () => (await import('./silences/SilenceDialog')).SilenceDialog)

export function AlertHead({ alert }: { alert: AlertDetail }) {
  const { rule, limit } = useRuleOf(alert)
  const [head, why] = headAndWhy(alert.sentence ?? `${measureWords(alert.measure)}: no verdict was made of it.`)
  const [because, rest] = why === null ? [null, null] : firstSentence(why)
  return (
    <header className={styles.head}>
      <h1 className={styles.title}>
        {subjectTitle(alert.subject.kind)} <Name whole>{alert.subject.name}</Name>
      </h1>
      <Marks alert={alert} />
      <p className={styles.verdict}>{visibleName(head)}</p>
      {limit !== null && <p>Fires at: {limit}</p>}
      {because !== null && <p>Because {visibleName(because)}</p>}
      <NowLines alert={alert} rule={rule} />
      <Actions alert={alert} />
      {rest !== null && <p className={styles.rest}>{visibleName(rest)}</p>}
      <ReadOnlyHint todo="acknowledge or silence it" />
    </header>
  )
}

/** What it rests on, and what limits that: the second can be long, and is read later. */
function firstSentence(words: string): [string, string | null] {
  const end = words.indexOf('. ')
  return end < 0 ? [words, null] : [words.slice(0, end + 1), words.slice(end + 2)]
}

function Marks({ alert }: { alert: AlertDetail }) {
  const { started_at, ended_at, fired_at, acknowledged_at, acknowledged_by } = alert
  const { zone } = usePreferences()
  const began_ms = Date.parse(started_at)
  return (
    <p className={styles.marks}>
      <StateMark {...severityMark(alert.severity)} />
      <StateMark {...alertStateMark(alert.state, alert.severity)} />
      <span>
        <Name whole>{alert.rule_name}</Name>
      </span>
      <span className="muted numeric">
        {fired_at !== null && `fired ${atMinute(fired_at, zone)}, `}
        {ended_at === null ? (
          <>
            open for <TickingAge at_ms={began_ms} />
          </>
        ) : (
          `lasted ${formatLength(Date.parse(ended_at) - began_ms)}`
        )}
      </span>
      {acknowledged_at !== null && (
        <span className="muted">
          <Name whole>{`acknowledged by ${acknowledged_by ?? 'somebody'}`}</Name>
        </span>
      )}
    </p>
  )
}

function Actions({ alert }: { alert: AlertDetail }) {
  useAhead(AcknowledgeDialog, SilenceDialog)
  const { isAdmin } = useSession()
  const [dialog, setDialog] = useState<'acknowledge' | 'silence' | null>(null)
  // "Silence" in a message leads here, before or after signing in.
  const [asked, setAsked] = useSearchParameter('do', '')
  const shown = dialog ?? (isAdmin && asked === 'silence' ? asked : null)
  const takeBack = useAlertCommand(() => takeBackAcknowledgement(alert.id))
  const close = () => {
    setDialog(null)
    if (asked !== '') setAsked('', { replace: true })
  }
  return (
    <>
      <div className={styles.actions}>
        <OpenObject alert={alert} />
        {isAdmin &&
          (alert.acknowledged_at !== null ? (
            <Button variant="default" loading={takeBack.isPending} onClick={() => takeBack.mutate()}>
              Take back the acknowledgement
            </Button>
          ) : (
            <Button variant="default" disabled={alert.ended_at !== null} onClick={() => setDialog('acknowledge')}>
              Acknowledge
            </Button>
          ))}
        {isAdmin && (
          <Button variant="default" onClick={() => setDialog('silence')}>
            Silence this
          </Button>
        )}
        {alert.runbook_url !== '' && (
          <Button component="a" href={alert.runbook_url} rel="noreferrer" target="_blank" variant="default">
            Runbook
          </Button>
        )}
      </div>
      <Failure title="The acknowledgement stays" error={takeBack.error} />
      {shown === 'acknowledge' && <AcknowledgeDialog alert={alert} onClose={close} />}
      {shown === 'silence' && <SilenceDialog matchers={matchersOf(alert)} onClose={close} />}
    </>
  )
}

/** The page of what it is about, at the alert's own time and not at the one that was looked at before. */
function OpenObject({ alert }: { alert: AlertDetail }) {
  const { zone } = usePreferences()
  const address = addressOf(alert.subject)
  if (address === null) return null
  const search = rangeSearch(windowOf(alert, serverNow()))
  return (
    <Button component={Link} to={address} search={search as never}>
      Open the {subjectWord(alert.subject.kind)} {atMinute(alert.fired_at ?? alert.started_at, zone)}
    </Button>
  )
}
