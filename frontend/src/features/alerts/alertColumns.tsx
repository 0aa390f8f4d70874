/** The columns of a list of alerts: how bad, what about, where, how much at least, since when, and who knows. */

import { Button } from '@mantine/core'
import type { AlertOut, RuleOut } from '../../api/types'
import { layerWord } from '../../charts/segments'
import * as alertsCopy from '../../copy/alerts'
import * as commonCopy from '../../copy/common'
import { TickingAge } from '../../domain/alerts/TickingAge'
import {
  alertStateMark,
  atMinute,
  boundWords,
  formatAmount,
  formatLength,
  measureWords,
  recoveredWords,
  severityMark,
  subjectWord,
  worstWords,
} from '../../domain/alerts/words'
import { LayerSwatch } from '../../domain/io-path/LayerBar'
import { EntityLink } from '../../domain/object/EntityLink'
import { StateMark } from '../../kit/mark/StateMark'
import type { Column } from '../../kit/table/Column'
import { NameLink } from '../../kit/text/Name'
import { formatInstant, formatMoment, type Zone, zoneName } from '../../lib/time'
import styles from './Alerts.module.css'

/** Heights of rows: of what is open with up to four lines, of what is over with up to three. */
export const OPEN_ROW_PX = 82
export const PAST_ROW_PX = 66

const WHAT: Column<AlertOut> = {
  id: 'what',
  header: alertsCopy.alert,
  width: 176,
  grow: true,
  cell: (alert) => (
    <span className="stack gap-2">
      <StateMark {...severityMark(alert.severity)} />
      <NameLink to={`/alerts/${alert.id}`}>{alert.rule_name}</NameLink>
    </span>
  ),
}

const WHERE: Column<AlertOut> = {
  id: 'where',
  header: commonCopy.object,
  width: 160,
  grow: true,
  compact: 'bare',
  cell: ({ subject, layer }) => (
    <span className="stack gap-2">
      <EntityLink to={subject} />
      <span className="row narrow gap-6 ends quiet">
        {subjectWord(subject.kind)}
        <Layer layer={layer} />
      </span>
    </span>
  ),
}

function Layer({ layer }: Pick<AlertOut, 'layer'>) {
  if (layer === null) return null
  return (
    <span className="inline-row fixed quiet gap-4">
      <LayerSwatch layers={[layer]} />
      {layerWord(layer)}
    </span>
  )
}

/** How much, of which minute where that is not the newest, and what it was at least or is no longer. */
type Much = (alert: AlertOut) => { amount: string; at: string | null; note: string | null }

const joinedWords = (...words: (string | null)[]): string | null =>
  words.filter((one) => one !== null).join(', ') || null

type RuleOf = (alert: AlertOut) => RuleOut | undefined

/** The value of an open alert with its minute: it stands still between two changes. */
const openMuch =
  (ruleOf: RuleOf, zone: Zone): Much =>
  (alert) => ({
    amount: formatAmount(alert.value, alert.measure.unit),
    at: alert.value === null ? null : atMinute(alert.since_at, zone),
    note: joinedWords(recoveredWords(alert, ruleOf(alert)) ?? boundWords(alert), worstWords(alert)),
  })

/** How bad it was at its worst; where no minute of it is kept, its last value. */
const pastMuch: Much = ({ peak, peak_lower, value, measure }) =>
  peak === null
    ? { amount: formatAmount(value, measure.unit), at: null, note: value === null ? null : alertsCopy.lastValue }
    : { amount: formatAmount(peak, measure.unit), at: null, note: boundWords({ lower: peak_lower, measure }) }

const sentenceColumn = (zone: Zone, header = alertsCopy.diagnosisAtTrigger): Column<AlertOut> => ({
  id: 'sentence',
  header,
  width: 240,
  grow: true,
  priority: 3,
  cell: ({ sentence, measure, fired_at }) => {
    const words = sentence?.text ?? measureWords(measure)
    const whole = fired_at === null || sentence === null ? words : `${atMinute(fired_at, zone)}: ${words}`
    return (
      <span className="clamp three tight" title={whole}>
        {whole}
      </span>
    )
  },
})

const muchColumn = (header: string, much: Much): Column<AlertOut> => ({
  id: 'value',
  header,
  width: 188,
  align: 'right',
  compact: (alert) => {
    const { amount, at, note } = much(alert)
    return <span className="tabular">{joinedWords(at === null ? amount : `${amount} ${at}`, note)}</span>
  },
  cell: (alert) => {
    const { amount, at, note } = much(alert)
    return (
      <span className={`stack gap-2 ${styles.right} numeric`}>
        <span className="ends narrow">{amount}</span>
        {at !== null && <span className="ends narrow quiet">{at}</span>}
        <span className={'clamp narrow tight quiet'}>{note ?? alertsCopy.noLowerBound}</span>
      </span>
    )
  },
})

const STATE: Column<AlertOut> = {
  id: 'state',
  header: commonCopy.state,
  width: 162,
  compact: 'bare',
  cell: (alert) => {
    const known = whoKnows(alert)
    return (
      <span className="stack gap-2">
        <StateMark {...alertStateMark(alert.state, alert.severity)} />
        {known !== null && (
          <span className={'clamp tight quiet'} title={known}>
            {known}
          </span>
        )}
      </span>
    )
  },
}

/** Why nobody is told any more, or by whom it is looked after; null: nobody knows of it. */
function whoKnows({ quiet, acknowledged_by, acknowledged_at }: AlertOut): string | null {
  if (quiet !== null) return quiet
  return acknowledged_at === null ? null : alertsCopy.acknowledgedByName(acknowledged_by ?? commonCopy.unknown)
}

interface Actions {
  onAcknowledge: (alert: AlertOut) => void
  onSilence: (alert: AlertOut) => void
}

interface OpenColumns {
  zone: Zone
  ruleOf: RuleOf
  actions: Actions | null
  /** Of those that may become alerts: they never fired. */
  isPending?: boolean
}

export function openColumns({ zone, ruleOf, actions, isPending = false }: OpenColumns): Column<AlertOut>[] {
  const much = openMuch(ruleOf, zone)
  const since = ({ started_at }: AlertOut) => (
    <span className="numeric" title={alertsCopy.sinceTitle(formatInstant(Date.parse(started_at), zone))}>
      <TickingAge at_ms={Date.parse(started_at)} />
    </span>
  )
  const age: Column<AlertOut> = {
    id: 'age',
    header: alertsCopy.duration,
    width: 96,
    align: 'right',
    cell: since,
  }
  const sentence = sentenceColumn(zone, isPending ? alertsCopy.diagnosisSoFar : undefined)
  const columns = [WHAT, WHERE, sentence, muchColumn(alertsCopy.value, much), age, STATE]
  return actions === null ? columns : [...columns, actionColumn(actions)]
}

function actionColumn({ onAcknowledge, onSilence }: Actions): Column<AlertOut> {
  return {
    id: 'actions',
    header: commonCopy.actions,
    width: 188,
    // The alert's own page has them.
    compact: () => null,
    cell: (alert) => {
      const what = alertsCopy.ruleOnObject(alert.rule_name, alert.subject.name)
      return (
        <span className="row narrow gap-6">
          {alert.acknowledged_at === null && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => onAcknowledge(alert)}
              aria-label={alertsCopy.acknowledgeAlert(what)}
            >
              {alertsCopy.acknowledge}
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => onSilence(alert)}
            aria-label={alertsCopy.silenceAlert(what)}
          >
            {alertsCopy.silenceThis}
          </Button>
        </span>
      )
    },
  }
}

export function pastColumns(zone: Zone): Column<AlertOut>[] {
  const when: Column<AlertOut> = {
    id: 'when',
    header: alertsCopy.started(zoneName(zone)),
    width: 140,
    cell: ({ started_at }) => <span className="numeric">{formatMoment(Date.parse(started_at), zone)}</span>,
  }
  const lasted = ({ started_at, ended_at }: AlertOut) =>
    ended_at === null ? alertsCopy.stillOpen : formatLength(Date.parse(ended_at) - Date.parse(started_at))
  const length: Column<AlertOut> = {
    id: 'length',
    header: alertsCopy.duration,
    width: 104,
    align: 'right',
    cell: (alert) => <span className="numeric">{lasted(alert)}</span>,
  }
  return [WHAT, WHERE, sentenceColumn(zone), muchColumn(alertsCopy.peakTerm, pastMuch), when, length, STATE]
}
