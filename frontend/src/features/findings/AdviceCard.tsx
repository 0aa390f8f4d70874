/** What to do, in the order to try it: what it costs, who must agree, and the commands, which are copied and never run. */

import { useState } from 'react'
import type { AdviceCommand, FindingAdvice } from '../../api/types'
import * as findingsCopy from '../../copy/findings'
import { Card } from '../../kit/layout/Card'
import { Fold } from '../../kit/layout/Fold'
import { visibleName } from '../../lib/text'
import { formatCount } from '../../lib/units'
import { CopyText } from './CopyText'
import styles from './Findings.module.css'
import { Predicted } from './Predicted'

/** To leave it alone says its text. */
const KINDS: Record<Exclude<FindingAdvice['kind'], 'leave'>, string> = {
  repair: findingsCopy.repair,
  spread: findingsCopy.spread,
  limit: findingsCopy.limit,
  setting: findingsCopy.setting,
  vendor: findingsCopy.vendor,
}
const EFFECTS: Record<NonNullable<FindingAdvice['takes_effect']>, string> = {
  live: findingsCopy.live,
  reboot: findingsCopy.reboot,
  reconnect: findingsCopy.reconnect,
}
const TEAMS: Record<FindingAdvice['agree'][number], string> = {
  storage: findingsCopy.storage,
  virtualization: findingsCopy.virtualization,
}

interface AdviceCardProps {
  advice: readonly FindingAdvice[]
  /** The newest evaluation that had the finding. */
  seen_at: string
}

export function AdviceCard({ advice, seen_at }: AdviceCardProps) {
  return (
    <Card title={findingsCopy.whatToDo} hint={findingsCopy.readOnlyHint}>
      <ol className={`${styles.steps} list grid gap-16`}>
        {advice.map((one) => (
          <li key={one.text}>
            <Step advice={one} seen_at={seen_at} />
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Step({ advice, seen_at }: { advice: FindingAdvice; seen_at: string }) {
  const { kind, text, why, commands, takes_effect, agree, next_limit, trial } = advice
  const notes = [
    takes_effect === null ? '' : EFFECTS[takes_effect],
    agree.length === 0 ? '' : findingsCopy.agree(agree.map((team) => TEAMS[team]).join(', ')),
    next_limit === '' ? '' : findingsCopy.nextLimit(next_limit),
  ].filter((note) => note !== '')
  return (
    <div className="stack breaks gap-4">
      <p>
        {kind !== 'leave' && <span className="pill small nowrap">{KINDS[kind]}</span>}{' '}
        <strong>{visibleName(text)}</strong>
      </p>
      {why !== '' && <p className="muted">{why}</p>}
      {notes.length > 0 && <p className="quiet">{notes.join(' · ')}</p>}
      {trial !== null && <Predicted trial={trial} seen_at={seen_at} />}
      {commands.length > 0 && <Commands commands={commands} />}
    </div>
  )
}

/** So few stand open: one host's, or one array's. */
const OPEN_AT_ONCE = 2

function Commands({ commands }: { commands: readonly AdviceCommand[] }) {
  const [isOpen, setOpen] = useState(commands.length <= OPEN_AT_ONCE)
  return (
    <Fold title={findingsCopy.commands(formatCount(commands.length))} hint="" open={isOpen} onOpen={setOpen}>
      {commands.map((command, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the commands of a step keep their places
        <Command key={index} command={command} />
      ))}
    </Fold>
  )
}

function Command({ command: { on, where, change, undo, shows, current, target } }: { command: AdviceCommand }) {
  const lines = [
    [findingsCopy.showCommand, shows],
    [findingsCopy.changeCommand, change],
    [findingsCopy.undoCommand, undo],
  ] as const
  return (
    <div className="stack gap-4">
      <p>
        {on === null ? where : findingsCopy.commandOn(visibleName(on.name), where)}
        {(current !== '' || target !== '') && (
          <span className="muted numeric"> {findingsCopy.fromTo(current, target)}</span>
        )}
      </p>
      {lines
        .filter(([, text]) => text !== '')
        .map(([label, text]) => (
          <CopyText key={label} label={label} text={text} />
        ))}
    </div>
  )
}
