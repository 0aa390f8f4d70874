/** The newest runs and gaps of one source. */

import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { sourceQuery, sourceRunsQuery } from '../../api/queries'
import type { RunOut } from '../../api/types'
import { DataState } from '../../components/DataState'
import { GapsTable } from '../../components/entity/GapsCard'
import { Name } from '../../components/Name'
import { StateMark } from '../../components/StateMark'
import { TOLD_PX, Told } from '../../components/table/Told'
import { type Column, VirtualTable } from '../../components/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { plural, streamName } from '../../lib/text'
import { formatClock, formatDay, formatInstant, formatSeconds, type Zone, zoneName } from '../../lib/time'
import { formatBytes, formatCount } from '../../lib/units'
import styles from './SourcesPage.module.css'
import { samplesOf } from './sourceWords'

export function SourceHistory({ id }: { id: number }) {
  const query = useQuery(sourceQuery(id))
  return (
    <DataState query={query} skeleton={<Skeleton height={240} m="md" />}>
      {(source) => (
        <>
          <h3 className={styles.subtitle}>Gaps</h3>
          {source.gaps.length === 0 ? (
            <p className={styles.quiet}>None: every interval since the first run was read.</p>
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
      <h3 className={styles.subtitle}>{isCut ? `The newest ${runs.length} runs` : `All runs: ${runs.length}`}</h3>
      {runs.length === 0 ? (
        <p className={styles.quiet}>None yet. The first one begins within seconds while the source is polled.</p>
      ) : (
        <RunsTable runs={runs} />
      )}
      {isCut && !more.data && (
        <div className={styles.more}>
          <Button size="xs" variant="default" loading={more.isFetching} onClick={() => setMore(true)}>
            Show the newest {MANY}
          </Button>
          {more.error && <span className={styles.wrong}>{more.error.message}</span>}
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
        header: `Started (${zoneName(zone)})`,
        width: 150,
        from: 700,
        cell: (run) => <Started at_ms={Date.parse(run.started_at)} zone={zone} />,
      },
      {
        id: 'told',
        header: `Started (${zoneName(zone)}), and how it went`,
        width: 300,
        grow: true,
        narrowOnly: true,
        cell: (run) => (
          <Told when={startedWords(Date.parse(run.started_at), zone)} what={resultWords(run)}>
            {streamName(run.stream)}, {samplesWords(run)}
            {formatSeconds(run.duration_s)}
          </Told>
        ),
      },
      { id: 'stream', header: 'Stream', width: 130, from: 700, cell: (run) => streamName(run.stream) },
      { id: 'queue', header: 'Queue', width: 96, from: 1200, cell: (run) => run.queue },
      {
        id: 'duration',
        header: 'Took',
        width: 90,
        align: 'right',
        from: 700,
        cell: (run) => <span className="numeric">{formatSeconds(run.duration_s)}</span>,
      },
      {
        id: 'calls',
        header: 'Calls',
        width: 76,
        align: 'right',
        from: 700,
        cell: (run) => <span className="numeric">{formatCount(run.calls)}</span>,
      },
      {
        id: 'bytes',
        header: 'Received',
        width: 100,
        align: 'right',
        from: 1200,
        cell: (run) => <span className="numeric">{formatBytes(run.bytes_received)}</span>,
      },
      {
        id: 'samples',
        header: 'Samples',
        width: 96,
        align: 'right',
        from: 700,
        cell: (run) => <Samples run={run} count={run.samples} />,
      },
      {
        id: 'new',
        header: 'of them new',
        width: 116,
        align: 'right',
        from: 700,
        cell: (run) => <Samples run={run} count={run.new_samples} />,
      },
      { id: 'result', header: 'Result', width: 220, grow: true, from: 700, cell: (run) => <RunResult run={run} /> },
    ],
    [zone],
  )
  return (
    <VirtualTable
      label="Newest runs"
      columns={columns}
      count={runs.length}
      rowAt={(index) => runs[index]}
      narrowRowPx={TOLD_PX}
    />
  )
}

function Samples({ run, count }: { run: RunOut; count: number }) {
  return samplesOf(run) === null ? (
    <span className="faint">–</span>
  ) : (
    <span className="numeric">{formatCount(count)}</span>
  )
}

/** "44 samples in ", which its time follows. */
function samplesWords(run: RunOut): string {
  const samples = samplesOf(run)
  return samples === null ? '' : `${plural(samples, 'sample')} in `
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
  return <StateMark tone={run.strangers > 0 ? 'warn' : 'good'} word={words} />
}

function resultWords(run: RunOut): string {
  if (run.error_message !== null) return `${run.error_kind ?? 'error'}: ${run.error_message}`
  return run.strangers > 0 ? `${formatCount(run.strangers)} samples of unknown things` : 'good'
}
