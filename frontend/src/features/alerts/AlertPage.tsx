/** One alert: what is wrong, by how much at least, its story, who was told, and the latency around it. */

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { alertQuery } from '../../api/alerts'
import * as alertsCopy from '../../copy/alerts'
import * as navigationCopy from '../../copy/navigation'
import { Icon } from '../../kit/mark/Icon'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { visibleName } from '../../lib/text'
import { numberOf } from '../../lib/url'
import { AlertCharts } from './AlertCharts'
import { AlertHead } from './AlertHead'
import { AlertSkeleton } from './AlertSkeleton'
import { DeliveriesCard } from './DeliveriesCard'
import { DetailsCard } from './DetailsCard'
import { StoryCard } from './StoryCard'

export default function AlertPage() {
  const { id: text = '' } = useParams({ strict: false }) as { id?: string }
  const id = numberOf(text)
  return (
    <div className="stack gap-16">
      <Link to={'/alerts' as string} className="back">
        <Icon name="left" size={14} /> {navigationCopy.alerts}
      </Link>
      {id === null ? (
        <EmptyState
          heading
          title={alertsCopy.notAnAlert(visibleName(text))}
          text={
            <>
              {alertsCopy.idExpected} <Elsewhere />
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
          {alertsCopy.alertGone} <Elsewhere />
        </>
      }
    >
      {(alert) => (
        <>
          <AlertHead alert={alert} />
          <StoryCard alert={alert} />
          <DeliveriesCard messages={alert.messages} />
          <DetailsCard alert={alert} />
          <AlertCharts alert={alert} />
        </>
      )}
    </DataState>
  )
}

function Elsewhere() {
  return <Link to={'/alerts' as string}>{alertsCopy.alertList}</Link>
}
