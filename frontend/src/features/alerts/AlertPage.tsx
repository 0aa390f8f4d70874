/** One alert: what is wrong, by how much at least, its story, who was told, and the latency around it. */

import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { takeBackAcknowledgement } from '../../api/alertCommands'
import { alertQuery } from '../../api/alerts'
import { useSession } from '../../api/session'
import type { AlertDetail } from '../../api/types'
import { DataState, EmptyState } from '../../components/DataState'
import { Icon } from '../../components/Icon'
import { Name } from '../../components/Name'
import { visibleName } from '../../lib/text'
import { numberOf, useSearchParameter } from '../../lib/url'
import { AcknowledgeDialog } from './AcknowledgeDialog'
import { AlertCharts } from './AlertCharts'
import styles from './Alerts.module.css'
import { DeliveriesCard } from './DeliveriesCard'
import { Failure } from './Failure'
import { StandingCard } from './StandingCard'
import { StoryCard } from './StoryCard'
import { matchersOf } from './silences/matchers'
import { SilenceDialog } from './silences/SilenceDialog'
import { useAlertCommand } from './useAlertCommand'

export default function AlertPage() {
  const { id: text = '' } = useParams({ strict: false }) as { id?: string }
  const id = numberOf(text)
  return (
    <div className={styles.page}>
      <Link to={'/alerts' as string} className={styles.back}>
        <Icon name="left" size={14} /> Alerts
      </Link>
      {id === null ? (
        <EmptyState
          heading
          title={`“${visibleName(text)}” is no alert`}
          text={
            <>
              The address of an alert ends in its number. <Elsewhere />
            </>
          }
        />
      ) : (
        <One id={id} />
      )}
    </div>
  )
}

function One({ id }: { id: number }) {
  const query = useQuery(alertQuery(id))
  return (
    <DataState
      query={query}
      skeleton={<AlertSkeleton />}
      heading
      gone={
        <>
          It is older than what is kept, or the address is wrong. <Elsewhere />
        </>
      }
    >
      {(alert) => (
        <>
          <Head alert={alert} />
          <StandingCard alert={alert} />
          <StoryCard alert={alert} />
          <DeliveriesCard messages={alert.messages} />
          <AlertCharts alert={alert} />
        </>
      )}
    </DataState>
  )
}

function Elsewhere() {
  return (
    <>
      <Link to={'/alerts' as string}>The list of alerts</Link> has those that are known.
    </>
  )
}

function Head({ alert }: { alert: AlertDetail }) {
  const { isAdmin } = useSession()
  const [dialog, setDialog] = useState<'acknowledge' | 'silence' | null>(null)
  // "Silence" in a message leads here, before or after signing in.
  const [asked, setAsked] = useSearchParameter('do', '')
  const shown = dialog ?? (isAdmin && asked === 'silence' ? asked : null)
  const takeBack = useAlertCommand(() => takeBackAcknowledgement(alert.id))
  const close = () => {
    setDialog(null)
    if (asked !== '') setAsked('', { replace: true })
  }
  return (
    <>
      <header className={styles.head}>
        <h1 className={styles.title}>
          <Name whole>{`${alert.rule_name}: ${alert.subject.name}`}</Name>
        </h1>
        {isAdmin && (
          <div className={styles.push}>
            {alert.acknowledged_at !== null ? (
              <Button size="xs" variant="default" loading={takeBack.isPending} onClick={() => takeBack.mutate()}>
                Take back the acknowledgement
              </Button>
            ) : (
              <Button size="xs" disabled={alert.ended_at !== null} onClick={() => setDialog('acknowledge')}>
                Acknowledge
              </Button>
            )}
            <Button size="xs" variant="default" onClick={() => setDialog('silence')}>
              Silence this
            </Button>
          </div>
        )}
      </header>
      <Failure title="The acknowledgement stays" error={takeBack.error} />
      {shown === 'acknowledge' && <AcknowledgeDialog alert={alert} onClose={close} />}
      {shown === 'silence' && <SilenceDialog matchers={matchersOf(alert)} onClose={close} />}
    </>
  )
}

function AlertSkeleton() {
  return (
    <>
      <Skeleton height={32} width="40%" />
      <Skeleton height={240} />
      <Skeleton height={200} />
      <Skeleton height={640} />
    </>
  )
}
