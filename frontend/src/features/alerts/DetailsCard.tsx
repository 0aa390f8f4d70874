/** What else is known of an alert: its times, its worst minute, its path, and who was told and would be. */

import type { ReactNode } from 'react'
import type { AlertDetail, RuleOut } from '../../api/types'
import { layerWord } from '../../charts/segments'
import * as alertsCopy from '../../copy/alerts'
import * as commonCopy from '../../copy/common'
import { boundWords, formatAmount, measureWords, recoveredWords, whenWords } from '../../domain/alerts/words'
import { LayerSwatch } from '../../domain/io-path/LayerBar'
import { EntityLink } from '../../domain/object/EntityLink'
import { Card } from '../../kit/layout/Card'
import { Name } from '../../kit/text/Name'
import { usePreferences } from '../../lib/preferences'
import { formatInstant, type Zone } from '../../lib/time'
import { Receivers } from './Receivers'
import { toldWords } from './story'
import { useRuleOf } from './useRuleOf'

export function DetailsCard({ alert }: { alert: AlertDetail }) {
  const { zone } = usePreferences()
  const { rule } = useRuleOf(alert)
  const facts = factsOf(alert, zone, rule).filter(([, value]) => value !== null)
  return (
    <Card title={alertsCopy.details}>
      <dl className="terms tiles breaks">
        {facts.map(([term, value]) => (
          <div key={term}>
            <dt className="small">{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet pretty above" style={{ maxWidth: '100ch' }}>
        {alertsCopy.timesNote}
      </p>
    </Card>
  )
}

/** What is known of it; null says nothing here. */
function factsOf(alert: AlertDetail, zone: Zone, rule: RuleOut | undefined): [string, ReactNode][] {
  const { layer, fired_at, recovered_at, ended_at, excess_outstanding, path, quiet, messages, runbook_url } = alert
  const instant = (at: string) => formatInstant(Date.parse(at), zone)
  const told = toldWords(messages, zone)
  return [
    [commonCopy.object, <EntityLink key="of" to={alert.subject} />],
    [alertsCopy.layerAtTrigger, layer && <LayerName key="layer" layer={layer} />],
    [measureWords(alert.measure), amount(alert, zone, rule)],
    [alertsCopy.peakTerm, worst(alert, instant)],
    [alertsCopy.firstMinute, instant(alert.started_at)],
    [
      alertsCopy.fired,
      fired_at === null ? (ended_at === null ? alertsCopy.notYet : alertsCopy.never) : instant(fired_at),
    ],
    [alertsCopy.thresholdCleared, recovered_at && instant(recovered_at)],
    [alertsCopy.ended, ended_at === null ? alertsCopy.notYet : instant(ended_at)],
    [alertsCopy.excessOutstanding, excess_outstanding === null ? null : formatAmount(excess_outstanding, 'I/Os')],
    [alertsCopy.location, path.length < 2 ? null : wholeName(path.join(' › '))],
    [alertsCopy.notified, told.length === 0 ? commonCopy.none : told.map(wholeName)],
    [
      alertsCopy.routing,
      ended_at !== null ? null : quiet === null ? (
        <Receivers key="receivers" alert={alert} />
      ) : (
        wholeName(alertsCopy.suppressed(quiet))
      ),
    ],
    [alertsCopy.runbook, runbook_url === '' ? null : <Runbook key="runbook" url={runbook_url} />],
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
  const when = value === null ? '' : ended_at === null ? ` ${whenWords(alert, zone)}` : alertsCopy.atEnd
  const note = recoveredWords(alert, rule) ?? boundWords(alert) ?? alertsCopy.noLowerBound
  return `${formatAmount(value, measure.unit)}${when}, ${note}`
}

/** The worst minute so far; null before one breached. */
function worst({ peak, peak_lower, peak_at, measure }: AlertDetail, instant: (at: string) => string): string | null {
  if (peak === null || peak_at === null) return null
  const bound = boundWords({ lower: peak_lower, measure })
  return alertsCopy.peakValue(formatAmount(peak, measure.unit), bound === null ? '' : `, ${bound}`, instant(peak_at))
}

function LayerName({ layer }: { layer: NonNullable<AlertDetail['layer']> }) {
  return (
    <span className="row narrow gap-6">
      <LayerSwatch layers={[layer]} />
      {layerWord(layer)}
    </span>
  )
}
