/** What is open now: firing, without data, and pending. */

import { Button } from '@mantine/core'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { rulesQuery } from '../../api/alerts'
import { useSession } from '../../api/session'
import type { AlertOut, AlertsNow } from '../../api/types'
import * as alertsCopy from '../../copy/alerts'
import * as navigationCopy from '../../copy/navigation'
import { firingOf, inOrder } from '../../domain/alerts/standing'
import { Card } from '../../kit/layout/Card'
import { StateMark } from '../../kit/mark/StateMark'
import { onPress, useAhead } from '../../kit/schedule/onPress'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import styles from './Alerts.module.css'
import { OPEN_ROW_PX, openColumns } from './alertColumns'
import { RowsSkeleton } from './RowsSkeleton'
import { matchersOf } from './silences/matchers'

const AcknowledgeDialog = onPress(async () => (await import('./AcknowledgeDialog')).AcknowledgeDialog)
const SilenceDialog = onPress(async () => (await import('./silences/SilenceDialog')).SilenceDialog)

type Dialog = { kind: 'acknowledge' | 'silence'; alert: AlertOut } | null

export function NowCards({ query }: { query: UseQueryResult<AlertsNow> }) {
  useAhead(AcknowledgeDialog, SilenceDialog)
  const [dialog, setDialog] = useState<Dialog>(null)
  const { isAdmin } = useSession()
  const { zone } = usePreferences()
  const { data: rules } = useQuery(rulesQuery())
  const [columns, pendingColumns] = useMemo(() => {
    const actions = {
      onAcknowledge: (alert: AlertOut) => setDialog({ kind: 'acknowledge', alert }),
      onSilence: (alert: AlertOut) => setDialog({ kind: 'silence', alert }),
    }
    const ruleOf = ({ rule_id }: AlertOut) => rules?.find(({ id }) => id === rule_id)
    const given = { zone, ruleOf, actions: isAdmin ? actions : null }
    return [openColumns(given), openColumns({ ...given, isPending: true })]
  }, [zone, rules, isAdmin])
  const close = () => setDialog(null)
  return (
    <>
      <DataState query={query} skeleton={<Loading columns={columns} />}>
        {({ alerts, pending }) => {
          const silent = inOrder(alerts.filter(({ state }) => state === 'no_data'))
          const open = inOrder(alerts.filter(({ state }) => state !== 'no_data'))
          return (
            <>
              <Card title={alertsCopy.openAlerts} hint={openHint(open)} flush>
                {open.length === 0 ? <Quiet /> : <Table label={alertsCopy.openTable} rows={open} columns={columns} />}
              </Card>
              {silent.length > 0 && (
                <Card title={alertsCopy.noDataTitle} hint={alertsCopy.noDataHint} flush>
                  <Table label={alertsCopy.noDataTable} rows={silent} columns={columns} />
                </Card>
              )}
              {pending.length > 0 && (
                <Card title={alertsCopy.pendingTitle} hint={alertsCopy.pendingHint} flush>
                  <Table label={alertsCopy.pendingTable} rows={inOrder(pending)} columns={pendingColumns} />
                </Card>
              )}
            </>
          )
        }}
      </DataState>
      {dialog?.kind === 'acknowledge' && <AcknowledgeDialog alert={dialog.alert} onClose={close} />}
      {dialog?.kind === 'silence' && <SilenceDialog matchers={matchersOf(dialog.alert)} onClose={close} />}
    </>
  )
}

/** "3 firing, 1 recovering, 1 acknowledged or quiet". */
function openHint(open: readonly AlertOut[]): string | undefined {
  if (open.length === 0) return undefined
  const firing = firingOf(open).length
  const calm = open.filter((one) => one.acknowledged_at !== null || one.quiet !== null).length
  return [
    alertsCopy.firingCount(firing),
    ...(open.length === firing ? [] : [alertsCopy.recoveringCount(open.length - firing)]),
    ...(calm === 0 ? [] : [alertsCopy.attendedCount(calm)]),
  ].join(', ')
}

function Loading({ columns }: Pick<TableProps, 'columns'>) {
  return (
    <Card title={alertsCopy.openAlerts} flush>
      <RowsSkeleton columns={columns} rows={4} rowPx={OPEN_ROW_PX} />
    </Card>
  )
}

interface TableProps {
  label: string
  rows: readonly AlertOut[]
  columns: ReturnType<typeof openColumns>
}

function Table({ label, rows, columns }: TableProps) {
  return (
    <div className={styles.wholeOnPhones}>
      <VirtualTable
        label={label}
        columns={columns}
        count={rows.length}
        rowAt={(index) => rows[index]}
        rowKey={(alert) => String(alert.id)}
        rowPx={OPEN_ROW_PX}
      />
    </div>
  )
}

/** Nothing fires: because all is well, or because nothing is looked at. */
function Quiet() {
  const { data } = useQuery(rulesQuery())
  const enabled = data?.filter((rule) => rule.enabled).length
  if (enabled === 0)
    return (
      <EmptyState
        title={alertsCopy.noRules}
        text={alertsCopy.noRulesText}
        action={
          <Button component={Link} to="/alerts/rules" variant="default">
            {alertsCopy.openRules}
          </Button>
        }
      />
    )
  return (
    <div className="inset-below">
      <StateMark tone="good" word={alertsCopy.noneFiring} />
      <p className="muted">
        {enabled === undefined ? alertsCopy.rulesUnknown : `${plural(enabled, alertsCopy.ruleIs, alertsCopy.rulesAre)}`}{' '}
        {alertsCopy.evaluated} <Link to={'/alerts/channels' as string}>{navigationCopy.channels}</Link>{' '}
        {alertsCopy.channelsRoute}
      </p>
    </div>
  )
}
