/** A group's I/Os and their latency over the window by layer; the minute under the cursor is the one that the ranking shows. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { groupLatencyQuery } from '../../api/groups'
import type { GroupLatency } from '../../api/types'
import type { ChartEvent } from '../../charts/events'
import { groupLegend, groupNumbers, groupPanels } from '../../charts/group'
import * as groupsCopy from '../../copy/groups'
import * as overviewCopy from '../../copy/overview'
import { NO_DIAGNOSIS } from '../../domain/diagnosis/noDiagnosis'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import type { GroupName } from '../../domain/object/group'
import { useHiddenLines } from '../../kit/chart/timeChart'
import { Card } from '../../kit/layout/Card'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { isUnusable } from '../../lib/errors'
import type { Range } from '../../lib/range'
import { formatColumn } from '../../lib/units'
import { useTrend } from '../../lib/url'
import { OverTimeChart } from './OverTimeChart'
import { useEnvironmentGaps } from './useEnvironmentGaps'

const NO_EVENTS: readonly ChartEvent[] = []
/** So much of the I/O has to be measured in a layer for its number to speak for all of it. */
const MOSTLY = 0.95

export function GroupOverTime({ group }: { group: GroupName }) {
  const range = useTrend()
  const query = useQuery(groupLatencyQuery(group, range))
  if (query.error !== null && isUnusable(query.error))
    return <Empty title={groupsCopy.rangeTooLong} text={query.error.message} />
  return (
    <DataState query={query} skeleton={<CardSkeleton height={420} />}>
      {(latency) =>
        latency.minutes_there.every((minutes) => minutes === 0) ? (
          <Empty title={overviewCopy.notAnalyzed} text={NO_DIAGNOSIS.no_data} />
        ) : (
          <GroupChart group={group} latency={latency} range={range} />
        )
      }
    </DataState>
  )
}

function Empty({ title, text }: { title: string; text: string }) {
  return (
    <Card title={overviewCopy.overTime}>
      <EmptyState title={title} text={text} />
    </Card>
  )
}

interface GroupChartProps {
  group: GroupName
  latency: GroupLatency
  range: Range
}

function GroupChart({ group, latency, range }: GroupChartProps) {
  const hidden = useHiddenLines()
  const gaps = useEnvironmentGaps(range, latency.source_ids)
  const legend = useMemo(() => groupLegend(latency), [latency])
  const panels = useMemo(() => groupPanels(latency, { hidden, gaps }), [latency, hidden, gaps])
  const numbers = useMemo(() => groupNumbers(latency, panels), [latency, panels])
  const words = {
    csv: groupsCopy.overTimeCsv(group.label, group.value),
    spoken: groupsCopy.overTimeSpoken,
    table: groupsCopy.overTimeTable,
  }
  const missing = missingWords(latency)
  return (
    <OverTimeChart
      words={words}
      over={latency}
      panels={panels}
      legend={legend}
      numbers={numbers}
      events={NO_EVENTS}
      note={missing !== '' && <p className="muted size-label">{missing}</p>}
    />
  )
}

/** "Guest not measured": what the picture leaves out. */
const missingWords = ({ measured_shares }: GroupLatency) =>
  measured_shares
    .flatMap(({ label, ops_share }) => {
      if (ops_share === null || ops_share >= MOSTLY) return []
      if (ops_share === 0) return [groupsCopy.layerNotMeasured(label)]
      return [groupsCopy.layerPartly(label, formatColumn(100 * ops_share, '%'))]
    })
    .join(' · ')
