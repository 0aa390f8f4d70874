import { useMemo } from 'react'
import type { SourceOut, StreamOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as gapsCopy from '../../copy/gaps'
import * as sourcesCopy from '../../copy/sources'
import { StateMark } from '../../kit/mark/StateMark'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { usePreferences } from '../../lib/preferences'
import { streamName } from '../../lib/text'
import { formatClock, formatSeconds } from '../../lib/time'
import { formatCount } from '../../lib/units'
import { broughtWords, changeWords, isLate, noGapsWord, runHeading, samplesPerSecond } from './sourceWords'

const FIRST_RUN = sourcesCopy.firstRun

/** A number, or what its absence means. */
const or = (words: string | null, absent: string) =>
  words === null ? <span className="faint">{absent}</span> : <span className="numeric">{words}</span>

const given = <Value,>(value: Value | null, format: (value: Value) => string) => (value === null ? null : format(value))

/** Of the last hour: what came late. */
const changesIn = ({ completed_1h, corrected_1h }: StreamOut) =>
  changeWords({ completed: completed_1h, corrected: corrected_1h })

/** The streams of a source: what is read how often, how far it has come, what the last run did. */
export function StreamsTable({ source }: { source: SourceOut }) {
  const { zone } = usePreferences()
  const columns = useMemo<Column<StreamOut>[]>(() => {
    const clock = (at: string) => formatClock(Date.parse(at), zone, true)
    return [
      {
        id: 'stream',
        header: gapsCopy.stream,
        width: 130,
        grow: true,
        cell: ({ stream }) => streamName(stream),
      },
      {
        id: 'interval',
        header: sourcesCopy.interval,
        width: 70,
        align: 'right',
        cell: (of) => sourcesCopy.seconds(of.interval_s),
      },
      {
        id: 'lag',
        header: sourcesCopy.lag,
        width: 110,
        align: 'right',
        cell: (stream) => <Lag source={source} stream={stream} />,
      },
      {
        id: 'rate',
        header: sourcesCopy.sampleRate,
        width: 200,
        minWidth: 160,
        align: 'right',
        cell: (stream) => or(given(stream.samples_per_s, samplesPerSecond), sourcesCopy.noneYetShort),
      },
      {
        id: 'until',
        header: sourcesCopy.dataThrough,
        width: 104,
        align: 'right',
        cell: (stream) => or(given(stream.until_at, clock), sourcesCopy.never),
      },
      {
        id: 'run',
        header: runHeading(source),
        width: 116,
        align: 'right',
        cell: (stream) => or(given(stream.last_run_at, clock), sourcesCopy.never),
      },
      {
        id: 'duration',
        header: sourcesCopy.duration,
        width: 90,
        align: 'right',
        cell: (stream) => or(given(stream.last_duration_s, formatSeconds), '–'),
      },
      {
        id: 'samples',
        header: sourcesCopy.samplesReadNew,
        width: 170,
        minWidth: 150,
        align: 'right',
        cell: (stream) => or(broughtWords(stream), '–'),
      },
      {
        id: 'changes',
        header: sourcesCopy.lateChanges,
        width: 130,
        compact: (stream) => {
          const words = changesIn(stream)
          return words === null ? null : `${sourcesCopy.lateChanges}: ${words}`
        },
        cell: (stream) => or(changesIn(stream), commonCopy.none),
      },
      {
        id: 'gaps',
        header: sourcesCopy.openGaps,
        width: 100,
        align: 'right',
        cell: (stream) =>
          stream.open_gaps === 0 ? (
            <span className="muted">{noGapsWord(source, stream)}</span>
          ) : (
            <StateMark tone="warn" word={formatCount(stream.open_gaps)} />
          ),
      },
    ]
  }, [source, zone])
  if (source.streams.length === 0)
    return <p className="muted inset-below">{sourcesCopy.nothingRead(source.enabled ? FIRST_RUN : '')}</p>
  const label = sourcesCopy.streamsOf(source.name)
  return (
    <VirtualTable
      label={label}
      columns={columns}
      count={source.streams.length}
      rowAt={(index) => source.streams[index]}
    />
  )
}

function Lag({ source, stream }: { source: SourceOut; stream: StreamOut }) {
  if (stream.lag_s === null) return <span className="faint">{sourcesCopy.noDataYet}</span>
  const words = formatSeconds(Math.max(0, stream.lag_s))
  // Of one that is switched off nothing else is to be expected.
  return source.enabled && isLate(stream) ? (
    <StateMark tone="warn" word={words} />
  ) : (
    <span className={`numeric ${source.enabled ? '' : 'muted'}`}>{words}</span>
  )
}
