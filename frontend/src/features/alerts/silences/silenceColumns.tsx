/** The columns of the lists of silences and of maintenance windows. */

import { Button } from '@mantine/core'
import type { MaintenanceOut, SilenceOut } from '../../../api/types'
import { Name } from '../../../components/Name'
import { StateMark, type Tone } from '../../../components/StateMark'
import type { Column } from '../../../components/table/VirtualTable'
import { formatMoment, type Zone, zoneName } from '../../../lib/time'
import styles from '../Alerts.module.css'
import { matchersWords } from './matchers'
import { whenWords } from './when'

export const SILENCE_ROW_PX = 58

const STATES: Record<SilenceOut['state'], { tone: Tone; word: string }> = {
  active: { tone: 'open', word: 'in force' },
  coming: { tone: 'calm', word: 'to come' },
  over: { tone: 'calm', word: 'over' },
}

interface SilenceActions {
  onEnd: (silence: SilenceOut) => void
  onRemove: (silence: SilenceOut) => void
}

export function silenceColumns(zone: Zone, actions: SilenceActions | null): Column<SilenceOut>[] {
  const moment = (at: string) => <span className="numeric">{formatMoment(Date.parse(at), zone)}</span>
  const columns: Column<SilenceOut>[] = [
    {
      id: 'for',
      header: 'For alerts whose',
      width: 250,
      narrow: 190,
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
    { id: 'state', header: 'State', width: 104, cell: ({ state }) => <StateMark {...STATES[state]} /> },
    { id: 'from', header: `From (${zoneName(zone)})`, width: 124, cell: ({ from_at }) => moment(from_at) },
    { id: 'until', header: `Until (${zoneName(zone)})`, width: 124, cell: ({ until_at }) => moment(until_at) },
    {
      id: 'reason',
      header: 'Why, and by whom',
      width: 200,
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
    cell: (silence) => {
      const what = `the silence for ${matchersWords(silence.matchers)}`
      return silence.state === 'active' ? (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => actions.onEnd(silence)}
          aria-label={`End now: ${what}`}
        >
          End now
        </Button>
      ) : (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => actions.onRemove(silence)}
          aria-label={`Remove ${what}`}
        >
          Remove
        </Button>
      )
    },
  }
  return [...columns, action]
}

interface WindowActions {
  onEdit: (window: MaintenanceOut) => void
  onRemove: (window: MaintenanceOut) => void
}

export function windowColumns(actions: WindowActions | null): Column<MaintenanceOut>[] {
  const columns: Column<MaintenanceOut>[] = [
    { id: 'name', header: 'Window', width: 190, narrow: 150, cell: ({ name }) => <Name focusable>{name}</Name> },
    {
      id: 'on',
      header: 'State',
      width: 104,
      cell: ({ is_on }) => <StateMark tone={is_on ? 'open' : 'calm'} word={is_on ? 'on now' : 'not now'} />,
    },
    {
      id: 'when',
      header: 'When',
      width: 260,
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
      width: 200,
      grow: true,
      cell: ({ matchers }) => <Name focusable>{matchersWords(matchers)}</Name>,
    },
  ]
  if (actions === null) return columns
  const action: Column<MaintenanceOut> = {
    id: 'actions',
    header: 'Actions',
    width: 168,
    cell: (window) => (
      <span className={styles.line}>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => actions.onEdit(window)}
          aria-label={`Change ${window.name}`}
        >
          Change
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => actions.onRemove(window)}
          aria-label={`Remove ${window.name}`}
        >
          Remove
        </Button>
      </span>
    ),
  }
  return [...columns, action]
}
