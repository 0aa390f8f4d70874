import { useMemo } from 'react'
import type { SourceOut, StreamOut } from '../../api/types'
import { StateMark } from '../../components/StateMark'
import { type Column, VirtualTable } from '../../components/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { streamName } from '../../lib/text'
import { formatClock, formatSeconds } from '../../lib/time'
import { formatCount, formatFixed } from '../../lib/units'
import styles from './SourcesPage.module.css'

const LATE_INTERVALS = 3

/** A number, or what its absence means. */
const or = (value: number | null, format: (value: number) => string, absent: string) =>
  value === null ? <span className="faint">{absent}</span> : <span className="numeric">{format(value)}</span>

/** One decimal in every row, and never a zero for something. */
const samplesPerSecond = (value: number) => (value > 0 && value < 0.05 ? '<0.1' : formatFixed(value, 1))

/** The streams of a source: what is read how often, how far it has come, what the last run did. */
export function StreamsTable({ source }: { source: SourceOut }) {
  const { zone } = usePreferences()
  const columns = useMemo<Column<StreamOut>[]>(
    () => [
      {
        id: 'stream',
        header: 'Stream',
        width: 130,
        narrow: 118,
        grow: true,
        cell: (stream) => streamName(stream.stream),
      },
      {
        id: 'interval',
        header: 'Every',
        width: 80,
        align: 'right',
        from: 700,
        cell: (stream) => `${stream.interval_s} s`,
      },
      { id: 'lag', header: 'Lag', width: 110, narrow: 66, align: 'right', cell: (stream) => <Lag stream={stream} /> },
      {
        id: 'rate',
        header: 'Samples/s',
        width: 110,
        align: 'right',
        from: 700,
        cell: (stream) => or(stream.samples_per_s, samplesPerSecond, 'none yet'),
      },
      {
        id: 'until',
        header: 'Read until',
        width: 110,
        narrow: 86,
        align: 'right',
        cell: (stream) =>
          or(
            stream.until_at === null ? null : Date.parse(stream.until_at),
            (at) => formatClock(at, zone, true),
            'never',
          ),
      },
      {
        id: 'run',
        header: 'Last run',
        width: 110,
        align: 'right',
        from: 700,
        cell: (stream) =>
          or(
            stream.last_run_at === null ? null : Date.parse(stream.last_run_at),
            (at) => formatClock(at, zone, true),
            'never',
          ),
      },
      {
        id: 'duration',
        header: 'Duration',
        width: 90,
        align: 'right',
        from: 700,
        cell: (stream) => or(stream.last_duration_s, formatSeconds, '–'),
      },
      {
        id: 'samples',
        header: 'Samples',
        width: 110,
        align: 'right',
        from: 700,
        cell: (stream) => or(stream.last_samples, formatCount, '–'),
      },
      {
        id: 'gaps',
        header: 'Open gaps',
        width: 120,
        narrow: 94,
        align: 'right',
        cell: (stream) =>
          stream.open_gaps === 0 ? (
            <span className="muted">none</span>
          ) : (
            <StateMark tone="warn" word={formatCount(stream.open_gaps)} />
          ),
      },
    ],
    [zone],
  )
  if (source.streams.length === 0)
    return <p className={styles.quiet}>Nothing was read yet. The first run comes within one interval.</p>
  const label = `Streams of ${source.name}`
  return (
    <VirtualTable
      label={label}
      columns={columns}
      count={source.streams.length}
      rowAt={(index) => source.streams[index]}
    />
  )
}

function Lag({ stream }: { stream: StreamOut }) {
  if (stream.lag_s === null) return <span className="faint">no data yet</span>
  const words = formatSeconds(Math.max(0, stream.lag_s))
  return stream.lag_s > LATE_INTERVALS * stream.interval_s ? (
    <StateMark tone="warn" word={words} />
  ) : (
    <span className="numeric">{words}</span>
  )
}
