/** The sections of the tab Summary below the diagnosis: where the latency is, since when, on which host, by whom. */

import { useQuery } from '@tanstack/react-query'
import { latencyQuery, waterfallQuery } from '../../api/diagnoses'
import * as breakdownCopy from '../../copy/breakdown'
import { Card } from '../../kit/layout/Card'
import { DataState } from '../../kit/state/DataState'
import { isLive } from '../../lib/range'
import { useRange, useTrend } from '../../lib/url'
import { LatencyChart } from '../breakdown/LatencyChart'
import { useHappened } from '../breakdown/useHappened'
import { useQosLimits } from '../breakdown/useQosLimits'
import { WaterfallChart } from '../breakdown/WaterfallChart'
import { ContributorsCard } from '../contributors/ContributorsCard'
import { HostsCard } from '../contributors/HostsCard'
import { NoNumbers } from '../diagnosis/NoNumbers'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { useDiagnosis } from '../diagnosis/useDiagnosis'
import { layersNamed } from '../io-path/namedWords'
import { Scoreboard } from '../scoreboard/Scoreboard'
import type { SectionContext } from './section'

/** Which layer is the cause, and which are proven not to be. Nothing where there is no diagnosis. */
export function ScoreboardSection({ kind, id, window }: SectionContext) {
  return (
    <DataState query={useDiagnosis({ kind, id, window })} skeleton={<CardSkeleton height={98} />}>
      {(diagnosis) => diagnosis.state === 'judged' && <Scoreboard diagnosis={diagnosis} />}
    </DataState>
  )
}

export function BreakdownSection({ kind, id, name, window }: SectionContext) {
  const query = useQuery(waterfallQuery(kind, id, window))
  const diagnosis = useDiagnosis({ kind, id, window }).data
  return (
    <DataState query={query} skeleton={<CardSkeleton height={420} />}>
      {(waterfall) => {
        const silent = waterfall.directions.find(({ direction }) => direction === 'all')?.state ?? 'no_data'
        if (silent === 'judged' || silent === 'too_few')
          return (
            <WaterfallChart
              {...{ name, waterfall }}
              compact
              named={diagnosis?.layer ?? null}
              other={diagnosis?.other}
              hasEnded={(diagnosis?.until_at ?? null) !== null}
              counted={diagnosis?.array_counted}
              disagreement_us={diagnosis?.data_quality.disagreement_us}
            />
          )
        return (
          <Card title={breakdownCopy.title}>
            <NoNumbers title={breakdownCopy.noTime} state={silent} />
          </Card>
        )
      }}
    </DataState>
  )
}

/** `whole`: with rates, queues and the range of a layer below the stacks. */
export function OverTimeSection({ kind, id, name, window, whole = false }: SectionContext & { whole?: boolean }) {
  const [range] = useRange()
  const trend = useTrend()
  const query = useQuery(latencyQuery(kind, id, trend))
  const happened = useHappened(kind, id, name, trend)
  const limits = useQosLimits(kind, id)
  const named = useDiagnosis({ kind, id, window }).data?.layer ?? null
  const span = isLive(range) ? breakdownCopy.lastHour : ''
  const title = whole ? breakdownCopy.layersOverTime : breakdownCopy.latencyOverTime
  return (
    <DataState query={query} skeleton={<CardSkeleton height={whole ? 1000 : 420} />}>
      {(latency) =>
        latency.minutes === 0 ? (
          <Card title={title}>
            <NoNumbers title="" state="no_data" />
          </Card>
        ) : (
          <LatencyChart {...{ title, name, latency, named, limits, span }} {...happened} stacksOnly={!whole} />
        )
      }
    </DataState>
  )
}

export function ContributorsSection({ kind, id, window }: SectionContext) {
  const { data, isPending } = useDiagnosis({ kind, id, window })
  // Which layer is ranked is the diagnosis's to say.
  if (isPending) return <CardSkeleton height={260} />
  return (
    <ContributorsCard
      {...{ kind, id, window }}
      named={data === undefined ? [] : layersNamed(data.layer, data.layers)}
      hasData={data !== undefined && data.state !== 'no_data'}
    />
  )
}

/** GAVG, DAVG, KAVG and QAVG with the queue depth of each host. */
export function HostRowsSection({ kind, id, window }: SectionContext) {
  const { data, isPending } = useDiagnosis({ kind, id, window })
  if (isPending) return <CardSkeleton height={260} />
  return <HostsCard id={id} window={window} named={data === undefined ? [] : layersNamed(data.layer, data.layers)} />
}
