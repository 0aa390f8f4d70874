import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { quantitiesQuery, rulesQuery } from '../../api/alerts'
import type { AlertDetail, RuleOut } from '../../api/types'
import { layerWord } from '../../charts/segments'
import { TickingAge } from '../../components/alerts/TickingAge'
import {
  alertStateMark,
  atMinute,
  boundWords,
  formatAmount,
  headAndWhy,
  measureWords,
  recoveredWords,
  ruleWords,
  severityMark,
  whenWords,
} from '../../components/alerts/words'
import { Card } from '../../components/Card'
import { EntityLink } from '../../components/EntityLink'
import { Name } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import { LayerSwatch } from '../../components/verdict/LayerBar'
import { usePreferences } from '../../lib/preferences'
import { formatInstant, formatSeconds, type Zone } from '../../lib/time'
import styles from './Alerts.module.css'
import { Receivers } from './Receivers'

type Newest = NonNullable<AlertDetail['newest']>

/** The verdict when it fired, and how the alert stands. */
export function StandingCard({ alert }: { alert: AlertDetail }) {
  const { zone } = usePreferences()
  const { fired_at } = alert
  return (
    <Card
      title={fired_at === null ? 'Verdict' : 'Verdict when it fired'}
      hint={fired_at === null ? undefined : formatInstant(Date.parse(fired_at), zone)}
    >
      <div className={styles.marks}>
        <StateMark {...severityMark(alert.severity)} />
        <StateMark {...alertStateMark(alert.state)} />
        <span className="muted numeric">
          {alert.ended_at === null ? (
            <>
              open for <TickingAge at_ms={Date.parse(alert.started_at)} />
            </>
          ) : (
            `lasted ${formatSeconds((Date.parse(alert.ended_at) - Date.parse(alert.started_at)) / 1000)}`
          )}
        </span>
      </div>
      <Verdict sentence={alert.sentence ?? `${measureWords(alert.measure)}: no verdict was made of it.`} />
      <Facts alert={alert} />
    </Card>
  )
}

/** Whose latency it was in large letters; what that rests on under it. */
function Verdict({ sentence }: { sentence: string }) {
  const [head, why] = headAndWhy(sentence)
  return (
    <>
      <p className={styles.verdict}>{head}</p>
      {why !== null && <p className={styles.because}>Because {why}</p>}
    </>
  )
}

function Facts({ alert }: { alert: AlertDetail }) {
  const { zone } = usePreferences()
  const { data: rules } = useQuery(rulesQuery())
  const { data: quantities } = useQuery(quantitiesQuery())
  const rule = rules?.find(({ id }) => id === alert.rule_id)
  const units = new Map(quantities?.map(({ quantity, unit }) => [quantity, unit]))
  const limit = rule === undefined || quantities === undefined ? null : ruleWords(rule, units)
  const facts: [string, ReactNode][] = [
    ...nowAndLimit(alert, limit, zone),
    ...factsOf(alert, zone, rule).filter(([, value]) => value !== null),
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What somebody who was woken asks first: how it is by now, and what it would have to be. */
function nowAndLimit({ newest, measure }: AlertDetail, limit: string | null, zone: Zone): [string, ReactNode][] {
  const now: [string, ReactNode][] =
    newest === null ? [] : [[`${measureWords(measure)} now`, newestWords(newest, measure, zone)]]
  return limit === null ? now : [...now, ['Fires at', limit]]
}

function newestWords({ at, value, lower }: Newest, measure: AlertDetail['measure'], zone: Zone): string {
  const bound = boundWords({ lower, measure })
  return `${formatAmount(value, measure.unit)}${bound === null ? '' : `, ${bound}`}, ${atMinute(at, zone)}`
}

/** What is known of it; null says nothing here. */
function factsOf(alert: AlertDetail, zone: Zone, rule: RuleOut | undefined): [string, ReactNode][] {
  const { layer, fired_at, breach_ended_at, ended_at, impact, path, quiet, runbook_url } = alert
  const instant = (at: string) => formatInstant(Date.parse(at), zone)
  return [
    ['Of', <EntityLink key="of" to={alert.subject} />],
    ['Layer', layer && <LayerName key="layer" layer={layer} />],
    [measureWords(alert.measure), amount(alert, zone, rule)],
    ['At its worst', worst(alert, instant)],
    ['Began', instant(alert.started_at)],
    ['Fired', fired_at === null ? (ended_at === null ? 'not yet' : 'never') : instant(fired_at)],
    ['Breach ended', breach_ended_at && instant(breach_ended_at)],
    ['Ended', ended_at === null ? 'not yet' : instant(ended_at)],
    ['Impact', impact === null ? null : `${formatAmount(impact, 'I/Os')} wait for nothing`],
    ['Path', path.length < 2 ? null : wholeName(path.join(' › '))],
    [
      'Messages',
      ended_at !== null ? null : quiet === null ? (
        <Receivers key="messages" alert={alert} />
      ) : (
        wholeName(`held back: ${quiet}`)
      ),
    ],
    ['Runbook', runbook_url === '' ? null : <Runbook key="runbook" url={runbook_url} />],
  ]
}

const wholeName = (words: string) => (
  <Name key={words} whole>
    {words}
  </Name>
)

function Runbook({ url }: { url: string }) {
  return (
    <a href={url} rel="noreferrer" target="_blank">
      {url}
    </a>
  )
}

function amount(alert: AlertDetail, zone: Zone, rule: RuleOut | undefined): string {
  const { value, measure, ended_at } = alert
  const when = value === null ? '' : ended_at === null ? ` ${whenWords(alert, zone)}` : ' at its end'
  const note = recoveredWords(alert, rule) ?? boundWords(alert) ?? 'no lower bound'
  return `${formatAmount(value, measure.unit)}${when}, ${note}`
}

/** The worst minute so far; null before one breached. */
function worst({ peak, peak_lower, peak_at, measure }: AlertDetail, instant: (at: string) => string): string | null {
  if (peak === null || peak_at === null) return null
  const bound = boundWords({ lower: peak_lower, measure })
  return `${formatAmount(peak, measure.unit)}${bound === null ? '' : `, ${bound}`}, in the minute from ${instant(peak_at)}`
}

function LayerName({ layer }: { layer: NonNullable<AlertDetail['layer']> }) {
  return (
    <span className={styles.line}>
      <LayerSwatch layers={[layer]} />
      {layerWord(layer)}
    </span>
  )
}
