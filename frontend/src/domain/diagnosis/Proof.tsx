/** The proof below a diagnosis: where the time went, over time, where the I/Os are, who takes part, raw numbers. Loaded beside the diagnosis. */

import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import {
  type DiagnosisWindow,
  deltasQuery,
  type HoppingKind,
  hopsQuery,
  latencyQuery,
  occupancyQuery,
  waterfallQuery,
} from '../../api/diagnoses'
import type { Diagnosis } from '../../api/types'
import type { LayerId } from '../../charts/segments'
import * as breakdownCopy from '../../copy/breakdown'
import { Card } from '../../kit/layout/Card'
import { OutOfSight } from '../../kit/schedule/OutOfSight'
import { DataState } from '../../kit/state/DataState'
import { useRange } from '../../lib/url'
import { LatencyChart } from '../breakdown/LatencyChart'
import { OccupancyCard } from '../breakdown/OccupancyCard'
import { useHappened } from '../breakdown/useHappened'
import { useQosLimits } from '../breakdown/useQosLimits'
import { WaterfallChart } from '../breakdown/WaterfallChart'
import { ContributorsCard } from '../contributors/ContributorsCard'
import { HostsCard } from '../contributors/HostsCard'
import { DeltasCard } from '../counters/DeltasCard'
import { EvidenceCard } from '../counters/EvidenceCard'
import { HopsCard } from '../io-path/HopsCard'
import { layersNamed, namedLayers } from '../io-path/namedWords'
import type { DiagnosedObject } from '../kinds'
import styles from './Diagnosis.module.css'
import { NoNumbers } from './NoNumbers'
import { CardSkeleton } from './Skeletons'

interface ProofProps extends DiagnosedObject {
  window: DiagnosisWindow
  diagnosis: Diagnosis
  onShown: (isShown: boolean) => void
}

export default function Proof({ kind, id, name, window, diagnosis, onShown }: ProofProps) {
  useEffect(() => onShown(true), [onShown])
  const { layer: named, other, state, evidence, layers } = diagnosis
  const hasEnded = diagnosis.until_at !== null
  const about = { kind, id, name, window, named, other, hasEnded }
  return (
    <>
      <OutOfSight>
        <WaterfallPart
          {...about}
          counted={diagnosis.array_counted}
          disagreement_us={diagnosis.data_quality.disagreement_us}
        />
      </OutOfSight>
      {(kind === 'vms' || kind === 'datastores') && (
        <OutOfSight>
          <HopsPart {...about} kind={kind} layers={namedLayers(diagnosis)} />
        </OutOfSight>
      )}
      <OutOfSight>
        <LatencyPart {...about} />
      </OutOfSight>
      <OutOfSight>
        <div className={styles.pair}>
          <OccupancyPart {...about} />
          {kind === 'datastores' && <DeltasPart id={id} window={window} isCalm={named === null || hasEnded} />}
        </div>
      </OutOfSight>
      <OutOfSight>
        <ContributorsCard {...{ kind, id, window }} named={layersNamed(named, layers)} hasData={state !== 'no_data'} />
      </OutOfSight>
      {kind === 'datastores' && (
        <OutOfSight>
          <HostsCard id={id} window={window} />
        </OutOfSight>
      )}
      <OutOfSight>
        <EvidenceCard evidence={evidence} />
      </OutOfSight>
    </>
  )
}

interface PartProps extends DiagnosedObject {
  window: DiagnosisWindow
  /** The layer that the diagnosis names, and the one that it could not decide from. */
  named: string | null
  other: string | null
  /** What it names is over. */
  hasEnded: boolean
}

function WaterfallPart({
  kind,
  id,
  name,
  window,
  named,
  other,
  hasEnded,
  counted,
  disagreement_us,
}: PartProps & { counted: Diagnosis['array_counted']; disagreement_us: number | null }) {
  const query = useQuery(waterfallQuery(kind, id, window))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={470} />}>
      {(waterfall) => {
        const silent = waterfall.directions.find(({ direction }) => direction === 'all')?.state ?? 'no_data'
        if (silent === 'judged' || silent === 'too_few')
          return <WaterfallChart {...{ name, waterfall, named, other, hasEnded, counted, disagreement_us }} />
        return (
          <Card title={breakdownCopy.title}>
            <NoNumbers title={breakdownCopy.noTime} state={silent} />
          </Card>
        )
      }}
    </DataState>
  )
}

function LatencyPart({ kind, id, name, named }: PartProps) {
  const [range] = useRange()
  const query = useQuery(latencyQuery(kind, id, range))
  const happened = useHappened(kind, id, name, range)
  const limits = useQosLimits(kind, id)
  return (
    <DataState query={query} skeleton={<CardSkeleton height={1000} />}>
      {(latency) =>
        latency.minutes === 0 ? (
          <Card title={breakdownCopy.latencyOverTime}>
            <NoNumbers title="" state="no_data" />
          </Card>
        ) : (
          <LatencyChart {...{ name, latency, named, limits }} {...happened} />
        )
      }
    </DataState>
  )
}

function HopsPart({
  kind,
  id,
  window,
  layers,
  hasEnded,
}: PartProps & { kind: HoppingKind; layers: readonly LayerId[] }) {
  const query = useQuery(hopsQuery(kind, id, window))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={420} />}>
      {(hops) => <HopsCard {...{ hops, hasEnded }} named={layers} />}
    </DataState>
  )
}

function OccupancyPart({ kind, id, window }: PartProps) {
  const query = useQuery(occupancyQuery(kind, id, window))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={300} />}>
      {(occupancy) => <OccupancyCard occupancy={occupancy} />}
    </DataState>
  )
}

function DeltasPart({ id, window, isCalm }: { id: number; window: DiagnosisWindow; isCalm: boolean }) {
  const query = useQuery(deltasQuery(id, window))
  return (
    <DataState query={query} skeleton={<CardSkeleton height={300} />}>
      {(deltas) => <DeltasCard deltas={deltas} isCalm={isCalm} />}
    </DataState>
  )
}
