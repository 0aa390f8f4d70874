/** The columns of the list of rules. */

import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { RuleOut } from '../../../api/types'
import * as alertsCopy from '../../../copy/alerts'
import * as commonCopy from '../../../copy/common'
import * as rulesCopy from '../../../copy/rules'
import { type Quantity, ruleWords, scopeWords, severityMark, type Unit } from '../../../domain/alerts/words'
import { StateMark } from '../../../kit/mark/StateMark'
import type { Column } from '../../../kit/table/Column'
import { Name } from '../../../kit/text/Name'
import { visibleName } from '../../../lib/text'
import { formatSeconds } from '../../../lib/time'

export const RULE_ROW_PX = 70

interface RuleColumnsProps {
  units: ReadonlyMap<Quantity, Unit>
  /** The switch of a rule. */
  control: (rule: RuleOut) => ReactNode
  actions: { onEdit: (rule: RuleOut) => void; onRemove: (rule: RuleOut) => void } | null
}

export function ruleColumns({ units, control, actions }: RuleColumnsProps): Column<RuleOut>[] {
  const columns: Column<RuleOut>[] = [
    {
      id: 'name',
      header: alertsCopy.rule,
      width: 230,
      grow: true,
      cell: (rule) => (
        <span className="stack gap-2">
          <Name focusable>{rule.name}</Name>
          <span className="row narrow gap-6 ends quiet">
            {rule.error === null ? (
              <StateMark {...severityMark(rule.severity)} />
            ) : (
              <StateMark tone="bad" word={rulesCopy.invalid} />
            )}
            {rule.is_default && rulesCopy.builtIn}
          </span>
        </span>
      ),
    },
    { id: 'on', header: rulesCopy.on, width: 70, compact: 'bare', cell: control },
    {
      id: 'when',
      header: rulesCopy.firesWhen,
      width: 280,
      grow: true,
      compact: (rule) => <Name whole>{wordsOf(rule, units)}</Name>,
      cell: (rule) => {
        const words = wordsOf(rule, units)
        return (
          <span className="clamp three tight" title={words}>
            {words}
          </span>
        )
      },
    },
    {
      id: 'scope',
      header: rulesCopy.scope,
      width: 190,
      cell: (rule) => <span className="clamp three tight">{visibleName(scopeWords(rule))}</span>,
    },
    {
      id: 'open',
      header: rulesCopy.openColumn,
      width: 92,
      align: 'right',
      cell: ({ open }) =>
        open === 0 ? <span className="muted">{commonCopy.none}</span> : <span className="numeric">{open}</span>,
    },
  ]
  return actions === null ? columns : [...columns, actionColumn(actions)]
}

/** When it fires, or why nobody knows. */
function wordsOf(rule: RuleOut, units: RuleColumnsProps['units']): string {
  if (rule.error !== null) return rulesCopy.invalidRule(rule.error)
  return rulesCopy.ruleText(ruleWords(rule, units), formatSeconds(rule.keep_firing_min * 60))
}

type RuleActions = NonNullable<RuleColumnsProps['actions']>

function actionColumn(actions: RuleActions): Column<RuleOut> {
  return {
    id: 'actions',
    header: commonCopy.actions,
    width: 168,
    compact: 'bare',
    cell: (rule) => (
      <span className="row narrow gap-6">
        <Actions rule={rule} {...actions} />
      </span>
    ),
  }
}

function Actions({ rule, onEdit, onRemove }: RuleActions & { rule: RuleOut }) {
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => onEdit(rule)}
        aria-label={commonCopy.editNamed(rule.name)}
      >
        {commonCopy.edit}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => onRemove(rule)}
        aria-label={commonCopy.removeNamed(rule.name)}
      >
        {commonCopy.remove}
      </Button>
    </>
  )
}
