/** The columns of the lists of silences and of maintenance windows. */

import { Button } from '@mantine/core'
import type { MaintenanceOut, SilenceOut } from '../../../api/types'
import * as commonCopy from '../../../copy/common'
import * as gapsCopy from '../../../copy/gaps'
import * as silencesCopy from '../../../copy/silences'
import { ALERT_SHAPES } from '../../../domain/alerts/marks'
import { StateMark, type Tone } from '../../../kit/mark/StateMark'
import type { Column } from '../../../kit/table/Column'
import { Name } from '../../../kit/text/Name'
import { serverNow } from '../../../lib/clock'
import { formatMoment, type Zone, zoneName } from '../../../lib/time'
import { matchersWords } from './matchers'
import { nextStart, whenWords } from './when'

export const SILENCE_ROW_PX = 58

/** Nothing of it is wrong: none has a color of alarm. */
const STATES: Record<SilenceOut['state'], { tone: Tone; word: string; shape?: string }> = {
  active: { tone: 'calm', word: silencesCopy.active, shape: ALERT_SHAPES.paused },
  coming: { tone: 'calm', word: silencesCopy.upcoming, shape: ALERT_SHAPES.waiting },
  over: { tone: 'calm', word: silencesCopy.expired },
}

function windowMark(window: MaintenanceOut, zone: Zone): { tone: Tone; word: string; shape?: string } {
  if (window.is_on) return { tone: 'calm', word: silencesCopy.activeNow, shape: ALERT_SHAPES.paused }
  const next_ms = nextStart(window, serverNow())
  if (next_ms === undefined) return { tone: 'calm', word: silencesCopy.inactive, shape: ALERT_SHAPES.waiting }
  if (next_ms === null) return { tone: 'calm', word: silencesCopy.expired }
  const word = silencesCopy.nextStart(formatMoment(next_ms, zone), zoneName(zone, next_ms))
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
      id: 'for',
      header: silencesCopy.matchingAlerts,
      width: 250,
      grow: true,
      cell: ({ matchers }) => {
        const words = matchersWords(matchers)
        return (
          <span className="clamp three tight" title={words}>
            {words}
          </span>
        )
      },
    },
    {
      id: 'state',
      header: commonCopy.state,
      width: 104,
      compact: 'bare',
      cell: ({ state }) => <StateMark {...STATES[state]} />,
    },
    {
      id: 'from',
      header: silencesCopy.fromZone(zoneName(zone)),
      width: 124,
      cell: ({ from_at }) => moment(from_at),
    },
    {
      id: 'until',
      header: silencesCopy.until(zoneName(zone)),
      width: 124,
      cell: ({ until_at }) => moment(until_at),
    },
    {
      id: 'reason',
      header: silencesCopy.reasonBy,
      width: 200,
      grow: true,
      compact: ({ reason, by }) => <Name whole>{`${by}: ${reason}`}</Name>,
      cell: ({ reason, by }) => (
        <span className="stack gap-2">
          <Name focusable>{reason}</Name>
          <span className="ends quiet">
            <Name focusable>{by}</Name>
          </span>
        </span>
      ),
    },
    {
      id: 'matching',
      header: silencesCopy.openAlerts,
      width: 98,
      align: 'right',
      cell: ({ matching }) =>
        matching === 0 ? <span className="muted">{commonCopy.none}</span> : <span className="numeric">{matching}</span>,
    },
  ]
  if (actions === null) return columns
  const action: Column<SilenceOut> = {
    id: 'actions',
    header: commonCopy.actions,
    width: 104,
    compact: 'bare',
    cell: (silence) => <SilenceAction silence={silence} {...actions} />,
  }
  return [...columns, action]
}

function SilenceAction({ silence, onEnd, onRemove }: SilenceActions & { silence: SilenceOut }) {
  const what = silencesCopy.silenceFor(matchersWords(silence.matchers))
  const isActive = silence.state === 'active'
  return (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() => (isActive ? onEnd : onRemove)(silence)}
      aria-label={isActive ? silencesCopy.endNamed(what) : commonCopy.removeNamed(what)}
    >
      {isActive ? silencesCopy.end : commonCopy.remove}
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
      id: 'name',
      header: silencesCopy.window,
      width: 170,
      grow: true,
      cell: ({ name }) => <Name focusable>{name}</Name>,
    },
    {
      id: 'on',
      header: commonCopy.state,
      width: 200,
      compact: 'bare',
      cell: (window) => <StateMark {...windowMark(window, zone)} />,
    },
    {
      id: 'when',
      header: gapsCopy.when,
      width: 260,
      grow: true,
      compact: (window) => <Name whole>{whenWords(window)}</Name>,
      cell: (window) => {
        const words = whenWords(window)
        return (
          <span className="clamp three tight" title={words}>
            {words}
          </span>
        )
      },
    },
    {
      id: 'for',
      header: silencesCopy.matchingAlerts,
      width: 180,
      grow: true,
      compact: ({ matchers }) => <Name whole>{silencesCopy.forMatching(matchersWords(matchers))}</Name>,
      cell: ({ matchers }) => <Name focusable>{matchersWords(matchers)}</Name>,
    },
  ]
  if (actions === null) return columns
  const action: Column<MaintenanceOut> = {
    id: 'actions',
    header: commonCopy.actions,
    width: 168,
    compact: 'bare',
    cell: (window) => (
      <span className="row narrow gap-6">
        <WindowActionButtons window={window} {...actions} />
      </span>
    ),
  }
  return [...columns, action]
}

function WindowActionButtons({ window, onEdit, onRemove }: WindowActions & { window: MaintenanceOut }) {
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => onEdit(window)}
        aria-label={commonCopy.editNamed(window.name)}
      >
        {commonCopy.edit}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => onRemove(window)}
        aria-label={commonCopy.removeNamed(window.name)}
      >
        {commonCopy.remove}
      </Button>
    </>
  )
}
