/** The newest runs and gaps of one source. */

import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { sourceQuery, sourceRunsQuery } from '../../api/queries'
import type { RunOut } from '../../api/types'
import * as gapsCopy from '../../copy/gaps'
import * as sourcesCopy from '../../copy/sources'
import { GapsTable } from '../../domain/counters/GapsCard'
import { StateMark } from '../../kit/mark/StateMark'
import { DataState } from '../../kit/state/DataState'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { usePreferences } from '../../lib/preferences'
import { streamName } from '../../lib/text'
import { formatClock, formatDay, formatInstant, formatSeconds, type Zone, zoneName } from '../../lib/time'
import { formatBytes, formatCount } from '../../lib/units'
import styles from './SourcesPage.module.css'
import { changeWords, samplesOf } from './sourceWords'

export function SourceHistory({ id }: { id: number }) {
  const query = useQuery(sourceQuery(id))
  return (
    <DataState query={query} skeleton={<Skeleton height={240} m="md" />}>
      {(source) => (
        <>
          <h3 className={`${styles.subtitle} size-label semibold`}>{gapsCopy.title}</h3>
          {source.gaps.length === 0 ? (
            <p className="muted inset-below">{sourcesCopy.noGaps}</p>
          ) : (
            <GapsTable gaps={source.gaps} />
          )}
          <Runs id={id} newest={source.runs} />
        </>
      )}
    </DataState>
  )
}

/** As many as the answer about one source holds, and as many as can be asked for. */
const [FEW, MANY] = [50, 500]

function Runs({ id, newest }: { id: number; newest: readonly RunOut[] }) {
  const [isMore, setMore] = useState(false)
  const more = useQuery({ ...sourceRunsQuery(id, MANY), enabled: isMore })
  const runs = more.data ?? newest
  const isCut = runs.length >= (more.data ? MANY : FEW)
  return (
    <>
      <h3 className={`${styles.subtitle} size-label semibold`}>
        {isCut ? sourcesCopy.lastRuns(runs.length) : sourcesCopy.allRuns(runs.length)}
      </h3>
      {runs.length === 0 ? <p className="muted inset-below">{sourcesCopy.noRuns}</p> : <RunsTable runs={runs} />}
      {isCut && !more.data && (
        <div className={`${styles.more} ruled`}>
          <Button size="xs" variant="default" loading={more.isFetching} onClick={() => setMore(true)}>
            {sourcesCopy.showLast} {MANY}
          </Button>
          {more.error && <span data-tone="bad">{more.error.message}</span>}
        </div>
      )}
    </>
  )
}

function RunsTable({ runs }: { runs: readonly RunOut[] }) {
  const { zone } = usePreferences()
  const columns = useMemo<Column<RunOut>[]>(
    () => [
      {
        id: 'at',
        header: sourcesCopy.startedZone(zoneName(zone)),
        width: 150,
        cell: (run) => <Started at_ms={Date.parse(run.started_at)} zone={zone} />,
      },
      { id: 'stream', header: gapsCopy.stream, width: 130, compact: 'bare', cell: (run) => streamName(run.stream) },
      { id: 'queue', header: sourcesCopy.queue, width: 96, priority: 3, cell: (run) => run.queue },
      {
        id: 'duration',
        header: sourcesCopy.duration,
        width: 90,
        align: 'right',
        cell: (run) => <span className="numeric">{formatSeconds(run.duration_s)}</span>,
      },
      {
        id: 'calls',
        header: sourcesCopy.calls,
        width: 76,
        align: 'right',
        cell: (run) => <span className="numeric">{formatCount(run.calls)}</span>,
      },
      {
        id: 'bytes',
        header: sourcesCopy.received,
        width: 100,
        align: 'right',
        priority: 3,
        cell: (run) => <span className="numeric">{formatBytes(run.bytes_received)}</span>,
      },
      {
        id: 'samples',
        header: sourcesCopy.samples,
        width: 96,
        align: 'right',
        cell: (run) => <Samples run={run} count={run.samples} />,
      },
      {
        id: 'new',
        header: sourcesCopy.newSamples,
        width: 116,
        align: 'right',
        cell: (run) => <Samples run={run} count={run.new_samples} />,
      },
      {
        id: 'result',
        header: sourcesCopy.result,
        width: 220,
        grow: true,
        compact: 'bare',
        cell: (run) => <RunResult run={run} />,
      },
    ],
    [zone],
  )
  return <VirtualTable label={sourcesCopy.runs} columns={columns} count={runs.length} rowAt={(index) => runs[index]} />
}

function Samples({ run, count }: { run: RunOut; count: number }) {
  return samplesOf(run) === null ? (
    <span className="faint">–</span>
  ) : (
    <span className="numeric">{formatCount(count)}</span>
  )
}

function Started({ at_ms, zone }: { at_ms: number; zone: Zone }) {
  return (
    <span className="numeric" title={formatInstant(at_ms, zone)}>
      {startedWords(at_ms, zone)}
    </span>
  )
}

const startedWords = (at_ms: number, zone: Zone) => `${formatDay(at_ms, zone)} ${formatClock(at_ms, zone, true)}`

function RunResult({ run }: { run: RunOut }) {
  const words = resultWords(run)
  if (run.error_message !== null) return <Name focusable>{words}</Name>
  return <StateMark tone={run.unknown_keys > 0 ? 'warn' : 'good'} word={words} />
}

function resultWords(run: RunOut): string {
  if (run.error_message !== null) return `${run.error_kind ?? sourcesCopy.error}: ${run.error_message}`
  if (run.unknown_keys > 0) return sourcesCopy.unknownObjects(formatCount(run.unknown_keys))
  return changeWords(run) ?? sourcesCopy.succeeded
}
