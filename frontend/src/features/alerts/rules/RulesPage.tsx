/** What Gavel looks for: every rule in a sentence, on or off, and the way to add, try, change, import and export them. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { removeRule } from '../../../api/alertCommands'
import { quantitiesQuery, RULES_FILE, rulesQuery } from '../../../api/alerts'
import { useSession } from '../../../api/session'
import type { RuleOut } from '../../../api/types'
import { Card } from '../../../components/Card'
import { DataState } from '../../../components/DataState'
import { Icon } from '../../../components/Icon'
import { Name } from '../../../components/Name'
import { NameFilter } from '../../../components/NameFilter'
import { onPress, useAhead } from '../../../components/onPress'
import { VirtualTable } from '../../../components/table/VirtualTable'
import { plural } from '../../../lib/text'
import { useSearchParameter } from '../../../lib/url'
import styles from '../Alerts.module.css'
import { AlertsFrame } from '../AlertsFrame'
import { Failure } from '../Failure'
import { RowsSkeleton } from '../RowsSkeleton'
import { RuleSwitch } from './RuleSwitch'
import { RULE_ROW_PX, ruleColumns, ruleNarrowRowPx } from './ruleColumns'

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
  const [search, setSearch] = useSearchParameter('q', '')
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
      Add a rule
    </Button>
  )
  const actions = (
    <>
      <Button variant="default" component="a" href={RULES_FILE} leftSection={<Icon name="download" />}>
        Export
      </Button>
      <Button variant="default" disabled={!isAdmin} onClick={() => setDialog({ kind: 'import' })}>
        Import
      </Button>
      {add}
    </>
  )
  return (
    <AlertsFrame
      title="Rules"
      hint={query.data && <span className="muted">{summary(query.data)}</span>}
      actions={actions}
      todo="add, change or switch rules"
    >
      <Failure title="Not switched" error={refused} />
      <Card
        title="What Gavel looks for"
        actions={<NameFilter noun="rule" value={search} onChange={(text) => setSearch(text, { replace: true })} />}
        flush
      >
        <DataState
          query={query}
          whole
          skeleton={
            <RowsSkeleton columns={columns} rows={6} rowPx={RULE_ROW_PX} narrowRowPx={ruleNarrowRowPx(isAdmin)} />
          }
          empty={(rules) =>
            rules.length === 0
              ? {
                  title: 'No rule',
                  text: 'Nothing can fire. Add a rule, or import the rules of another Gavel.',
                  action: add,
                }
              : matching(rules, search).length === 0
                ? { title: 'No rule fits', text: `Nothing is named like “${search}”. Shorten or clear the filter.` }
                : null
          }
        >
          {(rules) => {
            const shown = matching(rules, search)
            return (
              <div className={styles.wholeOnPhones}>
                <VirtualTable
                  label="Rules"
                  columns={columns}
                  count={shown.length}
                  rowAt={(index) => shown[index]}
                  rowKey={(rule) => String(rule.id)}
                  rowPx={RULE_ROW_PX}
                  narrowRowPx={ruleNarrowRowPx(isAdmin)}
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
        <RemoveDialog title="Remove this rule?" command={() => removeRule(dialog.rule.id)} onClose={close}>
          <strong>
            <Name whole>{dialog.rule.name}</Name>
          </strong>{' '}
          looks at nothing any more, and what it had found ends. The history stays.
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
  if (rules.length === 0) return 'no rule'
  const on = rules.filter(({ enabled }) => enabled).length
  return on === rules.length ? `${plural(rules.length, 'rule')}, all on` : `${plural(rules.length, 'rule')}, ${on} on`
}
