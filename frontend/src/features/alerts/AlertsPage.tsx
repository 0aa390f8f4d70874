/** What is wrong now, and what was: open alerts, those that may become one, and the history of the window. */

import { useQuery } from '@tanstack/react-query'
import { alertsNowQuery } from '../../api/alerts'
import * as alertsCopy from '../../copy/alerts'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as navigationCopy from '../../copy/navigation'
import { DataAge } from '../../kit/state/DataAge'
import { instantMs } from '../../lib/time'
import { AlertsFrame } from './AlertsFrame'
import { HistoryCard } from './HistoryCard'
import { LateCard } from './LateCard'
import { NowCards } from './NowCards'
import { UntoldNote } from './Receivers'

export default function AlertsPage() {
  const query = useQuery(alertsNowQuery())
  const hint = query.data && (
    <DataAge
      at_ms={instantMs(query.data.analyzed_until_at)}
      ageText={diagnosisCopy.analyzedThrough}
      never={diagnosisCopy.notAnalyzed}
    />
  )
  return (
    <AlertsFrame title={navigationCopy.alerts} hint={hint} todo={alertsCopy.acknowledgeOrSilenceAlerts}>
      <UntoldNote />
      <NowCards query={query} />
      <HistoryCard />
      <LateCard />
    </AlertsFrame>
  )
}
