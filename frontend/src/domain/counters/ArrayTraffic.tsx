/** The array's own counters over time: of all its I/O together, and of its target ports. Asked for where it is looked at. */

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { trafficQuery } from '../../api/traffic'
import type { ArrayTraffic } from '../../api/types'
import { type ChartEvent, sourceEvent } from '../../charts/events'
import { isMeasured } from '../../charts/ports'
import { isUnmeasured } from '../../charts/series'
import * as trafficCopy from '../../copy/traffic'
import { Card } from '../../kit/layout/Card'
import { DataState, EmptyState, type EmptyText } from '../../kit/state/DataState'
import { usePreferences } from '../../lib/preferences'
import { formatInstant, type Zone } from '../../lib/time'
import { useTrend } from '../../lib/url'
import { useAlertEvents } from '../alerts/useAlertEvents'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { subjectOf } from '../kinds'
import { BothSidesChart } from './BothSidesChart'
import { keptLength, PortsChart } from './PortsChart'

interface Of {
  id: number
  name: string
}

export function WholeArraySection({ id, name }: Of) {
  const query = useQuery(trafficQuery(id, useTrend()))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={700} />}>
      {(traffic) => <WholeArray id={id} name={name} traffic={traffic} />}
    </DataState>
  )
}

export function PortsOverTimeSection({ id, name }: Of) {
  const query = useQuery(trafficQuery(id, useTrend()))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={560} />}>
      {(traffic) => <Ports id={id} name={name} traffic={traffic} />}
    </DataState>
  )
}

type Part = Of & { traffic: ArrayTraffic }

function WholeArray({ id, name, traffic }: Part) {
  const events = useEvents(id, name, traffic)
  const own = useMemo(() => ({ ...traffic, gaps: traffic.gaps.filter(({ stream }) => stream === WHOLE) }), [traffic])
  if (isUnmeasured(traffic.groups)) {
    const text = reasonsOf(traffic, WHOLE) ?? trafficCopy.noSamplesOfArrayText
    return (
      <Card title={trafficCopy.wholeArray}>
        <EmptyState title={trafficCopy.noSamplesOfArray} text={text} />
      </Card>
    )
  }
  return (
    <BothSidesChart
      title={trafficCopy.wholeArray}
      name={trafficCopy.wholeArrayOf(name)}
      series={own}
      groups={traffic.groups}
      events={events}
    />
  )
}

function Ports({ id, name, traffic }: Part) {
  const { zone } = usePreferences()
  const events = useEvents(id, name, traffic)
  const nothing = noPorts(traffic, zone)
  if (nothing !== null) {
    return (
      <Card title={trafficCopy.targetPorts}>
        <EmptyState {...nothing} />
      </Card>
    )
  }
  return <PortsChart name={name} traffic={traffic} events={events} />
}

const WHOLE = 'array_wide'
const PORT = 'array_port'

/** Why there is nothing to draw; null where there is. */
export function noPorts(traffic: ArrayTraffic, zone: Zone): EmptyText | null {
  if (traffic.ports.length === 0) return { title: trafficCopy.noPorts, text: trafficCopy.noPortsText }
  if (traffic.ports.some(isMeasured)) return null
  const kept_ms = Date.parse(traffic.ports_kept_from_at)
  const isOlder = Date.parse(traffic.to_at) <= kept_ms
  const why = isOlder
    ? trafficCopy.olderThanKept(keptLength(traffic), formatInstant(kept_ms, zone))
    : (reasonsOf(traffic, PORT) ?? trafficCopy.noSamplesOfPortsText)
  return { title: trafficCopy.noSamplesOfPorts, text: why }
}

/** What the gaps of a stream say, each reason once. */
function reasonsOf({ gaps }: ArrayTraffic, stream: string): string | null {
  const reasons = new Set(gaps.filter((gap) => gap.stream === stream).map(({ reason }) => reason))
  return reasons.size === 0 ? null : [...reasons].join(' ')
}

function useEvents(id: number, name: string, { events }: ArrayTraffic): readonly ChartEvent[] {
  const alerts = useAlertEvents(useTrend(), { ...subjectOf('arrays', id), name })
  return useMemo(() => [...events.map(sourceEvent), ...alerts], [events, alerts])
}
