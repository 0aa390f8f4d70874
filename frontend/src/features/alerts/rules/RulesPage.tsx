/** What Gavel looks for: every rule in a sentence, on or off, and the way to add, try, change, import and export them. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { removeRule } from '../../../api/alertCommands'
import { quantitiesQuery, RULES_FILE, rulesQuery } from '../../../api/alerts'
import { useSession } from '../../../api/session'
import type { RuleOut } from '../../../api/types'
import * as listsCopy from '../../../copy/lists'
import * as navigationCopy from '../../../copy/navigation'
import * as rulesCopy from '../../../copy/rules'
import { FILTER } from '../../../domain/parameters'
import { Card } from '../../../kit/layout/Card'
import { Icon } from '../../../kit/mark/Icon'
import { onPress, useAhead } from '../../../kit/schedule/onPress'
import { DataState } from '../../../kit/state/DataState'
import { Failure } from '../../../kit/state/Failure'
import { NameFilter } from '../../../kit/table/NameFilter'
import { VirtualTable } from '../../../kit/table/VirtualTable'
import { Name } from '../../../kit/text/Name'
import { plural } from '../../../lib/text'
import { useParameter } from '../../../lib/url'
import styles from '../Alerts.module.css'
import { AlertsFrame } from '../AlertsFrame'
import { RowsSkeleton } from '../RowsSkeleton'
import { RuleSwitch } from './RuleSwitch'
import { RULE_ROW_PX, ruleColumns } from './ruleColumns'

const RemoveDialog = onPress(async () => (await import('../RemoveDialog')).RemoveDialog)
const ImportDialog = onPress(async () => (await import('./ImportDialog')).ImportDialog)
const RuleDialog = onPress(async () => (await import('./RuleDialog')).RuleDialog)

type Dialog = { kind: 'add' | 'import' } | { kind: 'edit' | 'remove'; rule: RuleOut } | null

export default function RulesPage() {
  useAhead(RemoveDialog, ImportDialog, RuleDialog)
  const query = useQuery(rulesQuery())
  const quantities = useQuery(quantitiesQuery())
  const { isAdmin } = useSession()
  const [dialog, setDialog] = useState<Dialog>(null)
  const [search, setSearch] = useParameter(FILTER)
  const [refused, setRefused] = useState<Error | null>(null)
  const columns = useMemo(() => {
    const units = new Map(quantities.data?.map(({ quantity, unit }) => [quantity, unit]))
    const act = {
      onEdit: (rule: RuleOut) => setDialog({ kind: 'edit', rule }),
      onRemove: (rule: RuleOut) => setDialog({ kind: 'remove', rule }),
    }
    const control = (rule: RuleOut) => <RuleSwitch rule={rule} disabled={!isAdmin} onRefused={setRefused} />
    return ruleColumns({ units, control, actions: isAdmin ? act : null })
  }, [quantities.data, isAdmin])
  const close = () => setDialog(null)
  const add = (
    <Button leftSection={<Icon name="plus" />} disabled={!isAdmin} onClick={() => setDialog({ kind: 'add' })}>
      {rulesCopy.add}
    </Button>
  )
  const actions = (
    <>
      <Button variant="default" component="a" href={RULES_FILE} leftSection={<Icon name="download" />}>
        {rulesCopy.exportRules}
      </Button>
      <Button variant="default" disabled={!isAdmin} onClick={() => setDialog({ kind: 'import' })}>
        {rulesCopy.importRules}
      </Button>
      {add}
    </>
  )
  return (
    <AlertsFrame
      title={navigationCopy.rules}
      hint={query.data && <span className="muted">{summary(query.data)}</span>}
      actions={actions}
      todo={rulesCopy.todo}
    >
      <Failure title={rulesCopy.switchFailed} error={refused} />
      <Card
        title={rulesCopy.alertRules}
        actions={
          <NameFilter
            noun={rulesCopy.ruleNoun}
            value={search}
            onChange={(text) => setSearch(text, { replace: true })}
          />
        }
        flush
      >
        <DataState
          query={query}
          whole
          skeleton={<RowsSkeleton columns={columns} rows={6} rowPx={RULE_ROW_PX} />}
          empty={(rules) =>
            rules.length === 0
              ? {
                  title: rulesCopy.none,
                  text: rulesCopy.noneText,
                  action: add,
                }
              : matching(rules, search).length === 0
                ? { title: rulesCopy.noMatch, text: listsCopy.nothingLike(search) }
                : null
          }
        >
          {(rules) => {
            const shown = matching(rules, search)
            return (
              <div className={styles.wholeOnPhones}>
                <VirtualTable
                  label={navigationCopy.rules}
                  columns={columns}
                  count={shown.length}
                  rowAt={(index) => shown[index]}
                  rowKey={(rule) => String(rule.id)}
                  rowPx={RULE_ROW_PX}
                />
              </div>
            )
          }}
        </DataState>
      </Card>
      {dialog?.kind === 'add' && <RuleDialog rule={null} onClose={close} />}
      {dialog?.kind === 'edit' && <RuleDialog rule={dialog.rule} onClose={close} />}
      {dialog?.kind === 'import' && <ImportDialog onClose={close} />}
      {dialog?.kind === 'remove' && (
        <RemoveDialog title={rulesCopy.removeTitle} command={() => removeRule(dialog.rule.id)} onClose={close}>
          <strong>
            <Name whole>{dialog.rule.name}</Name>
          </strong>{' '}
          {rulesCopy.removeText}
        </RemoveDialog>
      )}
    </AlertsFrame>
  )
}

const matching = (rules: readonly RuleOut[], search: string) => {
  const wanted = search.toLowerCase()
  return rules.filter(({ name, key }) => name.toLowerCase().includes(wanted) || key.includes(wanted))
}

/** "6, 5 of them on". */
function summary(rules: readonly RuleOut[]): string {
  if (rules.length === 0) return rulesCopy.noRule
  const on = rules.filter(({ enabled }) => enabled).length
  return on === rules.length
    ? rulesCopy.allEnabled(plural(rules.length, rulesCopy.ruleNoun))
    : rulesCopy.someEnabled(plural(rules.length, rulesCopy.ruleNoun), on)
}
