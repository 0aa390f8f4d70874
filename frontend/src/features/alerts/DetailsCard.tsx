/** What else is known of an alert: its times, its worst minute, its path, and who was told and would be. */

import type { ReactNode } from 'react'
import type { AlertDetail, RuleOut } from '../../api/types'
import { layerWord } from '../../charts/segments'
import { boundWords, formatAmount, measureWords, recoveredWords, whenWords } from '../../components/alerts/words'
import { Card } from '../../components/Card'
import { EntityLink } from '../../components/EntityLink'
import { Name } from '../../components/Name'
import { LayerSwatch } from '../../components/verdict/LayerBar'
import { usePreferences } from '../../lib/preferences'
import { formatInstant, type Zone } from '../../lib/time'
import styles from './Alerts.module.css'
import { Receivers } from './Receivers'
import { toldWords } from './story'
import { useRuleOf } from './useRuleOf'

export function DetailsCard({ alert }: { alert: AlertDetail }) {
  const { zone } = usePreferences()
  const { rule } = useRuleOf(alert)
  const facts = factsOf(alert, zone, rule).filter(([, value]) => value !== null)
  return (
    <Card title="Details">
      <dl className={styles.facts}>
        {facts.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.times}>
        Times differ because they are of different things: “since” in a verdict is when the latency that it names began,
        the first minute over the limit is the rule's, and what was found late came after its time and counts for
        neither.
      </p>
    </Card>
  )
}

/** What is known of it; null says nothing here. */
function factsOf(alert: AlertDetail, zone: Zone, rule: RuleOut | undefined): [string, ReactNode][] {
  const { layer, fired_at, breach_ended_at, ended_at, impact, path, quiet, messages, runbook_url } = alert
  const instant = (at: string) => formatInstant(Date.parse(at), zone)
  const told = toldWords(messages, zone)
  return [
    ['Of', <EntityLink key="of" to={alert.subject} />],
    ['Layer when it fired', layer && <LayerName key="layer" layer={layer} />],
    [measureWords(alert.measure), amount(alert, zone, rule)],
    ['At its worst', worst(alert, instant)],
    ['First minute over the limit', instant(alert.started_at)],
    ['Fired', fired_at === null ? (ended_at === null ? 'not yet' : 'never') : instant(fired_at)],
    ['Breach ended', breach_ended_at && instant(breach_ended_at)],
    ['Ended', ended_at === null ? 'not yet' : instant(ended_at)],
    ['Impact', impact === null ? null : `${formatAmount(impact, 'I/Os')} wait needlessly`],
    ['Path', path.length < 2 ? null : wholeName(path.join(' › '))],
    ['Told so far', told.length === 0 ? 'nobody' : told.map(wholeName)],
    [
      'From now on',
      ended_at !== null ? null : quiet === null ? (
        <Receivers key="receivers" alert={alert} />
      ) : (
        wholeName(`held back: ${quiet}`)
      ),
    ],
    ['Runbook', runbook_url === '' ? null : <Runbook key="runbook" url={runbook_url} />],
  ]
}

const wholeName = (words: string) => (
  <div key={words}>
    <Name whole>{words}</Name>
  </div>
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
