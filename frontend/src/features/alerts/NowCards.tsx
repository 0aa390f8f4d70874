/** What is open now: firing, without data, and pending. */

import { Button, Skeleton } from '@mantine/core'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { rulesQuery } from '../../api/alerts'
import { useSession } from '../../api/session'
import type { AlertOut, AlertsNow } from '../../api/types'
import { firingOf } from '../../components/alerts/standing'
import { Card } from '../../components/Card'
import { DataState, EmptyState } from '../../components/DataState'
import { StateMark } from '../../components/StateMark'
import { VirtualTable } from '../../components/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { AcknowledgeDialog } from './AcknowledgeDialog'
import styles from './Alerts.module.css'
import { ALERT_NARROW_ROW_PX, ALERT_ROW_PX, openColumns } from './alertColumns'
import { matchersOf } from './silences/matchers'
import { SilenceDialog } from './silences/SilenceDialog'

type Dialog = { kind: 'acknowledge' | 'silence'; alert: AlertOut } | null

export function NowCards({ query }: { query: UseQueryResult<AlertsNow> }) {
  const [dialog, setDialog] = useState<Dialog>(null)
  const { isAdmin } = useSession()
  const { zone } = usePreferences()
  const { data: rules } = useQuery(rulesQuery())
  const columns = useMemo(() => {
    const actions = {
      onAcknowledge: (alert: AlertOut) => setDialog({ kind: 'acknowledge', alert }),
      onSilence: (alert: AlertOut) => setDialog({ kind: 'silence', alert }),
    }
    const ruleOf = ({ rule_id }: AlertOut) => rules?.find(({ id }) => id === rule_id)
    return openColumns(zone, ruleOf, isAdmin ? actions : null)
  }, [zone, rules, isAdmin])
  const close = () => setDialog(null)
  return (
    <>
      <DataState query={query} skeleton={<Skeleton height={300} />}>
        {({ alerts, pending }) => {
          const silent = alerts.filter(({ state }) => state === 'no_data')
          const firing = alerts.filter(({ state }) => state !== 'no_data')
          return (
            <>
              <Card title="Firing" hint={firingHint(firing)} flush>
                {firing.length === 0 ? (
                  <Quiet />
                ) : (
                  <div className={styles.wholeOnPhones}>
                    <Table label="Firing alerts" rows={firing} columns={columns} />
                  </div>
                )}
              </Card>
              {silent.length > 0 && (
                <Card title="No data" hint="They fired, and their numbers stopped: that is no recovery" flush>
                  <Table label="Alerts without data" rows={silent} columns={columns} />
                </Card>
              )}
              {pending.length > 0 && (
                <Card title="Pending" hint="Over the threshold, but not for long enough yet" flush>
                  <Table label="Pending alerts" rows={pending} columns={columns} />
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

/** "3 alerts, 1 of them recovering, 1 acknowledged or quiet". */
function firingHint(open: readonly AlertOut[]): string | undefined {
  if (open.length === 0) return undefined
  const recovering = open.length - firingOf(open).length
  const calm = open.filter((one) => one.acknowledged_at !== null || one.quiet !== null).length
  return [
    plural(open.length, 'alert'),
    ...(recovering === 0 ? [] : [`${recovering} of them recovering`]),
    ...(calm === 0 ? [] : [`${calm} acknowledged or quiet`]),
  ].join(', ')
}

interface TableProps {
  label: string
  rows: readonly AlertOut[]
  columns: ReturnType<typeof openColumns>
}

function Table({ label, rows, columns }: TableProps) {
  return (
    <VirtualTable
      label={label}
      columns={columns}
      count={rows.length}
      rowAt={(index) => rows[index]}
      rowKey={(alert) => String(alert.id)}
      rowPx={ALERT_ROW_PX}
      narrowRowPx={ALERT_NARROW_ROW_PX}
    />
  )
}

/** Nothing fires: because all is well, or because nothing is looked at. */
function Quiet() {
  const { data } = useQuery(rulesQuery())
  const enabled = data?.filter((rule) => rule.enabled).length
  if (enabled === 0)
    return (
      <EmptyState
        title="No rule is switched on"
        text="Nothing can fire: Gavel judges every minute, but compares it with nothing."
        action={
          <Button component={Link} to="/alerts/rules" variant="default">
            Go to the rules
          </Button>
        }
      />
    )
  return (
    <div className={styles.calm}>
      <StateMark tone="good" word="Nothing fires" />
      <p className="muted">
        {enabled === undefined ? 'The rules look' : `${plural(enabled, 'rule looks', 'rules look')}`} at every judged
        minute. <Link to={'/alerts/channels' as string}>Channels</Link> say where a message goes when one fires.
      </p>
    </div>
  )
}
