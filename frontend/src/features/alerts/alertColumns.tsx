/** The columns of a list of alerts: how bad, what about, where, how much at least, since when, and who knows. */

import { Button } from '@mantine/core'
import type { AlertOut } from '../../api/types'
import { layerWord } from '../../charts/segments'
import { TickingAge } from '../../components/alerts/TickingAge'
import { alertStateMark, boundWords, formatAmount, measureWords, severityMark } from '../../components/alerts/words'
import { EntityLink } from '../../components/EntityLink'
import { Name, NameLink } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import type { Column } from '../../components/table/VirtualTable'
import { LayerSwatch } from '../../components/verdict/LayerBar'
import { formatInstant, formatMoment, formatSeconds, type Zone, zoneName } from '../../lib/time'
import styles from './Alerts.module.css'

/** Height of a row of two lines. */
export const ALERT_ROW_PX = 58

const WHAT: Column<AlertOut> = {
  id: 'what',
  header: 'Alert',
  width: 204,
  narrow: 178,
  cell: (alert) => (
    <span className={styles.two}>
      <StateMark {...severityMark(alert.severity)} />
      <NameLink to={`/alerts/${alert.id}`}>{alert.rule_name}</NameLink>
    </span>
  ),
}

const WHERE: Column<AlertOut> = {
  id: 'where',
  header: 'Of',
  width: 160,
  narrow: 150,
  cell: ({ subject, layer }) => (
    <span className={styles.two}>
      <EntityLink to={subject} />
      <span className={`${styles.line} ${styles.small}`}>
        {layer === null ? (
          subject.kind
        ) : (
          <>
            <LayerSwatch layers={[layer]} />
            {layerWord(layer)}
          </>
        )}
      </span>
    </span>
  ),
}

const SENTENCE: Column<AlertOut> = {
  id: 'sentence',
  header: 'Verdict',
  width: 240,
  grow: true,
  from: 1200,
  cell: (alert) => {
    const words = alert.sentence ?? measureWords(alert.measure)
    return (
      <span className={styles.sentence} title={words}>
        {words}
      </span>
    )
  },
}

const VALUE: Column<AlertOut> = {
  id: 'value',
  header: 'How much',
  width: 136,
  align: 'right',
  cell: (alert) => (
    <span className={`${styles.two} ${styles.right} numeric`}>
      <span>{formatAmount(alert.value, alert.measure.unit)}</span>
      <span className={styles.small}>{boundWords(alert) ?? 'no lower bound'}</span>
    </span>
  ),
}

const STATE: Column<AlertOut> = {
  id: 'state',
  header: 'State',
  width: 150,
  cell: (alert) => {
    const known = whoKnows(alert)
    return (
      <span className={styles.two}>
        <StateMark {...alertStateMark(alert.state)} />
        {known !== null && (
          <span className={styles.small}>
            <Name focusable>{known}</Name>
          </span>
        )}
      </span>
    )
  },
}

/** Why nobody is told any more, or by whom it is looked after; null: nobody knows of it. */
function whoKnows({ quiet, acknowledged_by, acknowledged_at }: AlertOut): string | null {
  if (quiet !== null) return quiet
  return acknowledged_at === null ? null : `acknowledged by ${acknowledged_by ?? 'somebody'}`
}

interface Actions {
  onAcknowledge: (alert: AlertOut) => void
  onSilence: (alert: AlertOut) => void
}

export function openColumns(zone: Zone, actions: Actions | null): Column<AlertOut>[] {
  const age: Column<AlertOut> = {
    id: 'age',
    header: 'For',
    width: 72,
    align: 'right',
    cell: ({ started_at }) => (
      <span className="numeric" title={`since ${formatInstant(Date.parse(started_at), zone)}`}>
        <TickingAge at_ms={Date.parse(started_at)} />
      </span>
    ),
  }
  const columns = [WHAT, WHERE, SENTENCE, VALUE, age, STATE]
  return actions === null ? columns : [...columns, actionColumn(actions)]
}

function actionColumn({ onAcknowledge, onSilence }: Actions): Column<AlertOut> {
  return {
    id: 'actions',
    header: 'Actions',
    width: 190,
    cell: (alert) => {
      const what = `${alert.rule_name} of ${alert.subject.name}`
      return (
        <span className={styles.line}>
          {alert.acknowledged_at === null && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => onAcknowledge(alert)}
              aria-label={`Acknowledge ${what}`}
            >
              Acknowledge
            </Button>
          )}
          <Button size="compact-xs" variant="default" onClick={() => onSilence(alert)} aria-label={`Silence ${what}`}>
            Silence
          </Button>
        </span>
      )
    },
  }
}

export function pastColumns(zone: Zone): Column<AlertOut>[] {
  const when: Column<AlertOut> = {
    id: 'when',
    header: `Began (${zoneName(zone)})`,
    width: 140,
    cell: ({ started_at }) => <span className="numeric">{formatMoment(Date.parse(started_at), zone)}</span>,
  }
  const length: Column<AlertOut> = {
    id: 'length',
    header: 'Lasted',
    width: 104,
    align: 'right',
    cell: ({ started_at, ended_at }) =>
      ended_at === null ? (
        'still open'
      ) : (
        <span className="numeric">{formatSeconds((Date.parse(ended_at) - Date.parse(started_at)) / 1000)}</span>
      ),
  }
  return [WHAT, WHERE, SENTENCE, { ...VALUE, header: 'Last value' }, when, length, STATE]
}
