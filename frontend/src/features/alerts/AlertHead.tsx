/** What somebody who was woken reads first: what it is about, whose latency it was, why, what holds now, and what to do. */

import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { takeBackAcknowledgement } from '../../api/alertCommands'
import { useSession } from '../../api/session'
import type { AlertDetail } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import * as commonCopy from '../../copy/common'
import * as findingsCopy from '../../copy/findings'
import { ReadOnlyHint } from '../../domain/access/ReadOnlyHint'
import { TickingAge } from '../../domain/alerts/TickingAge'
import {
  alertStateMark,
  atMinute,
  formatLength,
  measureWords,
  severityMark,
  subjectTitle,
  subjectWord,
} from '../../domain/alerts/words'
import { addressOf } from '../../domain/object/EntityLink'
import { DIALOG } from '../../domain/parameters'
import { StateMark } from '../../kit/mark/StateMark'
import { onPress, useAhead } from '../../kit/schedule/onPress'
import { Failure } from '../../kit/state/Failure'
import { Name } from '../../kit/text/Name'
import { serverNow } from '../../lib/clock'
import { usePreferences } from '../../lib/preferences'
import { rangeSearch } from '../../lib/range'
import { visibleName } from '../../lib/text'
import { useParameter } from '../../lib/url'
import styles from './AlertPage.module.css'
import { NowLines } from './NowLines'
import { matchersOf } from './silences/matchers'
import { windowOf } from './story'
import { useAlertCommand } from './useAlertCommand'
import { useRuleOf } from './useRuleOf'

const AcknowledgeDialog = onPress(async () => (await import('./AcknowledgeDialog')).AcknowledgeDialog)
const SilenceDialog = onPress(async () => (await import('./silences/SilenceDialog')).SilenceDialog)

export function AlertHead({ alert }: { alert: AlertDetail }) {
  const { rule, limit } = useRuleOf(alert)
  const { sentence } = alert
  return (
    <header className={`${styles.head} surface stack breaks gap-8`}>
      <h1 className="page-title tight">
        {subjectTitle(alert.subject.kind)} <Name whole>{alert.subject.name}</Name>
      </h1>
      <Marks alert={alert} />
      <p className={`${styles.diagnosis} size-lead tight bold pretty`}>
        {visibleName(sentence?.claim ?? alertsCopy.noDiagnosis(measureWords(alert.measure)))}
      </p>
      {sentence !== null && sentence.action !== '' && (
        <p>
          <strong>{findingsCopy.nextStep}</strong> {visibleName(sentence.action)}.
        </p>
      )}
      {limit !== null && (
        <p>
          {alertsCopy.threshold} {limit}
        </p>
      )}
      {sentence !== null && sentence.evidence !== '' && (
        <p>
          {alertsCopy.evidence} {visibleName(sentence.evidence)}
        </p>
      )}
      <NowLines alert={alert} rule={rule} />
      <Actions alert={alert} />
      {sentence !== null && sentence.limits !== '' && <p className="quiet">{visibleName(sentence.limits)}</p>}
      <ReadOnlyHint todo={alertsCopy.acknowledgeOrSilence} />
    </header>
  )
}

function Marks({ alert }: { alert: AlertDetail }) {
  const { started_at, ended_at, fired_at, acknowledged_at, acknowledged_by } = alert
  const { zone } = usePreferences()
  const began_ms = Date.parse(started_at)
  return (
    <p className="row wrap gap-words">
      <StateMark {...severityMark(alert.severity)} />
      <StateMark {...alertStateMark(alert.state, alert.severity)} />
      <span>
        <Name whole>{alert.rule_name}</Name>
      </span>
      <span className="muted numeric">
        {fired_at !== null && alertsCopy.firedAt(atMinute(fired_at, zone))}
        {ended_at === null ? (
          <>
            {alertsCopy.openFor} <TickingAge at_ms={began_ms} />
          </>
        ) : (
          alertsCopy.lasted(formatLength(Date.parse(ended_at) - began_ms))
        )}
      </span>
      {acknowledged_at !== null && (
        <span className="muted">
          <Name whole>{alertsCopy.acknowledgedByName(acknowledged_by ?? commonCopy.unknown)}</Name>
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
  const [asked, setAsked] = useParameter(DIALOG)
  const shown = dialog ?? (isAdmin && asked === 'silence' ? asked : null)
  const takeBack = useAlertCommand(() => takeBackAcknowledgement(alert.id))
  const close = () => {
    setDialog(null)
    if (asked !== '') setAsked('', { replace: true })
  }
  return (
    <>
      <div className={`${styles.actions} flex wrap gap-8`}>
        <OpenObject alert={alert} />
        {isAdmin &&
          (alert.acknowledged_at !== null ? (
            <Button variant="default" loading={takeBack.isPending} onClick={() => takeBack.mutate()}>
              {alertsCopy.unacknowledge}
            </Button>
          ) : (
            <Button variant="default" disabled={alert.ended_at !== null} onClick={() => setDialog('acknowledge')}>
              {alertsCopy.acknowledge}
            </Button>
          ))}
        {isAdmin && (
          <Button variant="default" onClick={() => setDialog('silence')}>
            {alertsCopy.silenceThis}
          </Button>
        )}
        {alert.runbook_url !== '' && (
          <Button component="a" href={alert.runbook_url} rel="noreferrer" target="_blank" variant="default">
            {alertsCopy.runbook}
          </Button>
        )}
      </div>
      <Failure title={alertsCopy.unacknowledgeFailed} error={takeBack.error} />
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
      {alertsCopy.open} {subjectWord(alert.subject.kind)} {atMinute(alert.fired_at ?? alert.started_at, zone)}
    </Button>
  )
}
