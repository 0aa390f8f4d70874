/** The columns of the lists of silences and of maintenance windows. */

import { Button } from '@mantine/core'
import { serverNow } from '../../../api/serverClock'
import type { MaintenanceOut, SilenceOut } from '../../../api/types'
import { ALERT_SHAPES } from '../../../components/alerts/marks'
import { Name } from '../../../components/Name'
import { StateMark, type Tone } from '../../../components/StateMark'
import type { Column } from '../../../components/table/VirtualTable'
import { plural } from '../../../lib/text'
import { formatMoment, type Zone, zoneName } from '../../../lib/time'
import styles from '../Alerts.module.css'
import { NarrowRow, narrowRowPx } from '../NarrowRow'
import { matchersWords } from './matchers'
import { nextStart, whenWords } from './when'

export const SILENCE_ROW_PX = 58
export const silenceNarrowRowPx = (hasActions: boolean) => narrowRowPx(5, hasActions)

/** Nothing of it is wrong: none has a colour of alarm. */
const STATES: Record<SilenceOut['state'], { tone: Tone; word: string; shape?: string }> = {
  active: { tone: 'calm', word: 'in force', shape: ALERT_SHAPES.paused },
  coming: { tone: 'calm', word: 'to come', shape: ALERT_SHAPES.waiting },
  over: { tone: 'calm', word: 'over' },
}

function windowMark(window: MaintenanceOut, zone: Zone): { tone: Tone; word: string; shape?: string } {
  if (window.is_on) return { tone: 'calm', word: 'on now', shape: ALERT_SHAPES.paused }
  const next_ms = nextStart(window, serverNow())
  if (next_ms === undefined) return { tone: 'calm', word: 'not now', shape: ALERT_SHAPES.waiting }
  if (next_ms === null) return { tone: 'calm', word: 'over' }
  const word = `next ${formatMoment(next_ms, zone)} ${zoneName(zone, next_ms)}`
  return { tone: 'calm', word, shape: ALERT_SHAPES.waiting }
}

interface SilenceActions {
  onEnd: (silence: SilenceOut) => void
  onRemove: (silence: SilenceOut) => void
}

export function silenceColumns(zone: Zone, actions: SilenceActions | null): Column<SilenceOut>[] {
  const moment = (at: string) => <span className="numeric">{formatMoment(Date.parse(at), zone)}</span>
  const columns: Column<SilenceOut>[] = [
    {
      id: 'all',
      header: 'Silence',
      width: 280,
      grow: true,
      narrowOnly: true,
      cell: (silence) => (
        <NarrowRow
          head={
            <>
              <StateMark {...STATES[silence.state]} />
              <span className="muted numeric">{countWords(silence.matching)}</span>
            </>
          }
          lines={[
            [`For ${matchersWords(silence.matchers)}`, 2],
            `Until ${formatMoment(Date.parse(silence.until_at), zone)} ${zoneName(zone)}, from ${formatMoment(Date.parse(silence.from_at), zone)}`,
            [`${silence.by}: ${silence.reason}`, 2],
          ]}
          actions={actions && <SilenceAction silence={silence} {...actions} />}
        />
      ),
    },
    {
      id: 'for',
      header: 'For alerts whose',
      width: 250,
      from: 700,
      grow: true,
      cell: ({ matchers }) => {
        const words = matchersWords(matchers)
        return (
          <span className={styles.sentence} title={words}>
            {words}
          </span>
        )
      },
    },
    { id: 'state', header: 'State', width: 104, from: 700, cell: ({ state }) => <StateMark {...STATES[state]} /> },
    { id: 'from', header: `From (${zoneName(zone)})`, width: 124, from: 700, cell: ({ from_at }) => moment(from_at) },
    {
      id: 'until',
      header: `Until (${zoneName(zone)})`,
      width: 124,
      from: 700,
      cell: ({ until_at }) => moment(until_at),
    },
    {
      id: 'reason',
      header: 'Why, and by whom',
      width: 200,
      from: 700,
      grow: true,
      cell: ({ reason, by }) => (
        <span className={styles.two}>
          <Name focusable>{reason}</Name>
          <span className={styles.small}>
            <Name focusable>{by}</Name>
          </span>
        </span>
      ),
    },
    {
      id: 'matching',
      header: 'Open alerts',
      width: 98,
      from: 700,
      align: 'right',
      cell: ({ matching }) =>
        matching === 0 ? <span className="muted">none</span> : <span className="numeric">{matching}</span>,
    },
  ]
  if (actions === null) return columns
  const action: Column<SilenceOut> = {
    id: 'actions',
    header: 'Actions',
    width: 104,
    from: 700,
    cell: (silence) => <SilenceAction silence={silence} {...actions} />,
  }
  return [...columns, action]
}

const countWords = (matching: number) => (matching === 0 ? 'no open alert' : plural(matching, 'open alert'))

function SilenceAction({ silence, onEnd, onRemove }: SilenceActions & { silence: SilenceOut }) {
  const what = `the silence for ${matchersWords(silence.matchers)}`
  const isActive = silence.state === 'active'
  return (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() => (isActive ? onEnd : onRemove)(silence)}
      aria-label={isActive ? `End now: ${what}` : `Remove ${what}`}
    >
      {isActive ? 'End now' : 'Remove'}
    </Button>
  )
}

interface WindowActions {
  onEdit: (window: MaintenanceOut) => void
  onRemove: (window: MaintenanceOut) => void
}

export function windowColumns(zone: Zone, actions: WindowActions | null): Column<MaintenanceOut>[] {
  const columns: Column<MaintenanceOut>[] = [
    {
      id: 'all',
      header: 'Window',
      width: 280,
      grow: true,
      narrowOnly: true,
      cell: (window) => (
        <NarrowRow
          head={<Name focusable>{window.name}</Name>}
          lines={[windowMark(window, zone).word, [whenWords(window), 2], [`For ${matchersWords(window.matchers)}`, 2]]}
          actions={actions && <WindowActionButtons window={window} {...actions} />}
        />
      ),
    },
    {
      id: 'name',
      header: 'Window',
      width: 170,
      grow: true,
      from: 700,
      cell: ({ name }) => <Name focusable>{name}</Name>,
    },
    {
      id: 'on',
      header: 'State',
      width: 200,
      from: 700,
      cell: (window) => <StateMark {...windowMark(window, zone)} />,
    },
    {
      id: 'when',
      header: 'When',
      width: 260,
      from: 700,
      grow: true,
      cell: (window) => {
        const words = whenWords(window)
        return (
          <span className={styles.sentence} title={words}>
            {words}
          </span>
        )
      },
    },
    {
      id: 'for',
      header: 'For alerts whose',
      width: 180,
      from: 700,
      grow: true,
      cell: ({ matchers }) => <Name focusable>{matchersWords(matchers)}</Name>,
    },
  ]
  if (actions === null) return columns
  const action: Column<MaintenanceOut> = {
    id: 'actions',
    header: 'Actions',
    width: 168,
    from: 700,
    cell: (window) => (
      <span className={styles.line}>
        <WindowActionButtons window={window} {...actions} />
      </span>
    ),
  }
  return [...columns, action]
}

function WindowActionButtons({ window, onEdit, onRemove }: WindowActions & { window: MaintenanceOut }) {
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => onEdit(window)} aria-label={`Change ${window.name}`}>
        Change
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => onRemove(window)} aria-label={`Remove ${window.name}`}>
        Remove
      </Button>
    </>
  )
}
