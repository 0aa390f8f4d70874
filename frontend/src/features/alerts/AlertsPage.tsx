/** What is wrong now, and what was: open alerts, those that may become one, and the history of the window. */

import { useQuery } from '@tanstack/react-query'
import { alertsNowQuery } from '../../api/alerts'
import { DataAge } from '../../components/DataAge'
import { instantMs } from '../../lib/time'
import { AlertsFrame } from './AlertsFrame'
import { HistoryCard } from './HistoryCard'
import { LateCard } from './LateCard'
import { NowCards } from './NowCards'
import { UntoldNote } from './Receivers'

export default function AlertsPage() {
  const query = useQuery(alertsNowQuery())
  const hint = query.data && (
    <DataAge at_ms={instantMs(query.data.judged_until_at)} of="newest judged minute" never="nothing judged yet" />
  )
  return (
    <AlertsFrame title="Alerts" hint={hint} todo="acknowledge or silence alerts">
      <UntoldNote />
      <NowCards query={query} />
      <HistoryCard />
      <LateCard />
    </AlertsFrame>
  )
}
