import type { ReactNode } from 'react'
import type { AlertDetail } from '../../api/types'
import { layerWord } from '../../charts/segments'
import { Card } from '../../components/Card'
import { EntityLink } from '../../components/EntityLink'
import { Name } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import { LayerSwatch } from '../../components/verdict/LayerBar'
import { usePreferences } from '../../lib/preferences'
import { formatInstant, formatSeconds } from '../../lib/time'
import styles from './Alerts.module.css'
import { TickingAge } from './TickingAge'
import { alertStateMark, boundWords, formatAmount, measureWords, severityMark } from './words'

/** The verdict when it fired, and how the alert stands. */
export function StandingCard({ alert }: { alert: AlertDetail }) {
  return (
    <Card title="Verdict">
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
      <p className={styles.verdict}>{alert.sentence ?? `${measureWords(alert.measure)}: no verdict was made of it.`}</p>
      <Facts alert={alert} />
    </Card>
  )
}

function Facts({ alert }: { alert: AlertDetail }) {
  const { zone } = usePreferences()
  const facts: [string, ReactNode][] = [
    ['Of', <EntityLink key="of" to={alert.subject} />],
    ...(alert.layer === null ? [] : [['Layer', <LayerName key="layer" layer={alert.layer} />] as [string, ReactNode]]),
    [measureWords(alert.measure), amount(alert)],
    ['Began', formatInstant(Date.parse(alert.started_at), zone)],
    ['Fired', alert.fired_at === null ? 'not yet' : formatInstant(Date.parse(alert.fired_at), zone)],
    ['Ended', alert.ended_at === null ? 'not yet' : formatInstant(Date.parse(alert.ended_at), zone)],
    ...(alert.impact === null
      ? []
      : [['Impact', `${formatAmount(alert.impact, 'I/Os')} wait for nothing`] as [string, ReactNode]]),
    ...(alert.path.length < 2
      ? []
      : [
          [
            'Path',
            <Name key="path" whole>
              {alert.path.join(' › ')}
            </Name>,
          ] as [string, ReactNode],
        ]),
    ['Messages', alert.quiet === null ? 'are sent' : <Name key="quiet" whole>{`held back: ${alert.quiet}`}</Name>],
    ...(alert.runbook_url === ''
      ? []
      : [
          [
            'Runbook',
            <a key="runbook" href={alert.runbook_url} rel="noreferrer" target="_blank">
              {alert.runbook_url}
            </a>,
          ] as [string, ReactNode],
        ]),
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

function amount(alert: AlertDetail): string {
  const bound = boundWords(alert)
  const end = alert.ended_at === null ? '' : ' at its end'
  const estimate = `${formatAmount(alert.value, alert.measure.unit)}${end}`
  return bound === null ? `${estimate}, no lower bound` : `${estimate}, ${bound}`
}

function LayerName({ layer }: { layer: NonNullable<AlertDetail['layer']> }) {
  return (
    <span className={styles.line}>
      <LayerSwatch layers={[layer]} />
      {layerWord(layer)}
    </span>
  )
}
