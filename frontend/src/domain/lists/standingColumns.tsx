/** The columns of the overview's ranking, which lists have, too: who, severity, sentence and cause, and the numbers they are sorted by. */

import type { AlertOut, OverviewRow } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as labelsCopy from '../../copy/labels'
import * as listsCopy from '../../copy/lists'
import * as overviewCopy from '../../copy/overview'
import type { Column, Priority } from '../../kit/table/Column'
import { Name } from '../../kit/text/Name'
import { Quantity } from '../../kit/text/Quantity'
import { rounded } from '../../lib/csv'
import { visibleName } from '../../lib/text'
import { AlertBadge } from '../alerts/AlertBadge'
import { ios } from '../breakdown/ios'
import { layersWords } from '../breakdown/layerWords'
import { piecesOf } from '../diagnosis/pieces'
import { LayerBar } from '../io-path/LayerBar'
import { EntityLink } from '../object/EntityLink'
import { ownerWords } from '../object/owner'
import { ConfidenceLabel } from '../severity/ConfidenceLabel'
import { causeClause } from '../severity/causeClause'
import { SeverityMark } from '../severity/SeverityMark'
import { isElevated } from '../severity/severity'
import { Sparkline } from './Sparkline'
import styles from './Standing.module.css'

const excessTone = ({ severity }: OverviewRow) => (severity === 'high' ? 'bad' : 'warn')

interface StandingOptions {
  /** Of the latency that fills a bar. */
  max_us: number
  /** Open alerts of a thing, worst first. */
  alertsAt: (thing: OverviewRow['subject']) => readonly AlertOut[]
  /** The API's names for sorting by latency and IOPS: lists have counters of the same names. */
  sorts?: { latency: string; iops: string }
}

const OVERVIEW_SORTS = { latency: 'latency', iops: 'iops' }

/** `of`: what a row of the table says of its standing. */
export function standingColumns<Row>(
  title: string,
  of: (row: Row) => OverviewRow,
  { max_us, alertsAt, sorts = OVERVIEW_SORTS }: StandingOptions,
): Column<Row>[] {
  return columnsOf(title, max_us, alertsAt, sorts).map(({ cell, csv, compact, ...column }) => ({
    ...column,
    cell: (row: Row) => cell(of(row)),
    ...(csv === undefined ? {} : { csv: (row: Row) => csv(of(row)) }),
    ...(compact === undefined
      ? {}
      : { compact: typeof compact === 'function' ? (row: Row) => compact(of(row)) : compact }),
  }))
}

function columnsOf(
  title: string,
  max_us: number,
  alertsAt: StandingOptions['alertsAt'],
  sorts: { latency: string; iops: string },
): Column<OverviewRow>[] {
  return [
    {
      id: 'name',
      header: title,
      width: 150,
      minWidth: 140,
      sortKey: 'name',
      csv: ({ subject }) => visibleName(subject.name),
      cell: ({ subject }) => <EntityLink to={subject} />,
    },
    {
      id: 'diagnosis',
      header: overviewCopy.severity,
      // Room for the confidence and an alert's mark beside it.
      width: 172,
      compact: 'bare',
      csv: ({ severity }) => severity,
      cell: (row) => (
        <span className={`${styles.diagnosis} grid gap-2`}>
          <SeverityMark diagnosis={row} />
          <span className="if-any inline-row gap-6">
            <ConfidenceLabel diagnosis={row} />
            <AlertBadge alerts={alertsAt(row.subject)} />
          </span>
        </span>
      ),
    },
    {
      id: 'sentence',
      header: diagnosisCopy.title,
      width: 200,
      grow: true,
      csv: ({ sentence, cause }) => wholeSentence(sentence.text, causeClause(cause)),
      compact: ({ sentence, cause }) => wholeSentence(sentence.text, causeClause(cause)),
      cell: (row) => <Standing row={row} />,
    },
    {
      id: 'layers',
      header: overviewCopy.breakdown,
      width: 128,
      priority: 3,
      csv: ({ layers }) => layersWords(layers),
      cell: (row) =>
        row.total_us === null ? (
          <span className="faint">–</span>
        ) : (
          <LayerBar pieces={piecesOf(row)} max={max_us} words={layersWords(row.layers)} />
        ),
    },
    {
      id: 'latency',
      header: commonCopy.latency,
      width: 106,
      minWidth: 88,
      priority: 1,
      align: 'right',
      sortKey: sorts.latency,
      csv: ({ total_us }) => rounded(total_us),
      csvHeader: listsCopy.csvLatency(commonCopy.latency),
      cell: ({ total_us }) => <Quantity value={total_us} unit="µs" />,
    },
    {
      id: 'excess',
      header: diagnosisCopy.excessLatency,
      width: 104,
      align: 'right',
      sortKey: 'excess',
      csv: ({ excess_us }) => rounded(excess_us),
      csvHeader: listsCopy.csvLatency(diagnosisCopy.excessLatency),
      cell: (row) => (
        <span
          className={isElevated(row) ? 'semibold' : undefined}
          data-tone={isElevated(row) ? excessTone(row) : undefined}
        >
          <Quantity value={row.excess_us} unit="µs" />
        </span>
      ),
    },
    {
      id: 'excess_outstanding',
      header: overviewCopy.excessOutstanding,
      width: 116,
      align: 'right',
      sortKey: 'excess_outstanding',
      csv: ({ excess_outstanding }) => rounded(excess_outstanding),
      cell: ({ excess_outstanding }) =>
        excess_outstanding === null ? (
          <Quantity value={null} unit="I/Os" />
        ) : (
          <span className="numeric">{ios(excess_outstanding)}</span>
        ),
    },
    {
      id: 'trend',
      header: overviewCopy.lastHour,
      width: 88,
      priority: 3,
      cell: ({ trend }) => <Sparkline trend={trend} />,
    },
    attribute('owner', labelsCopy.owner, 3, ({ owner }) => owner),
    {
      id: 'iops',
      header: commonCopy.iops,
      width: 106,
      align: 'right',
      priority: 4,
      sortKey: sorts.iops,
      csv: ({ iops }) => rounded(iops),
      cell: ({ iops }) => <Quantity value={iops} unit="ops/s" bare />,
    },
    attribute('application', labelsCopy.application, 5, ({ application }) => application),
    {
      id: 'quality',
      header: overviewCopy.dataQuality,
      width: 66,
      align: 'right',
      priority: 5,
      csv: ({ quality }) => quality,
      cell: ({ quality }) => quality ?? <span className="faint">–</span>,
    },
  ]
}

const attribute = (
  id: string,
  header: string,
  priority: Priority,
  read: (row: OverviewRow) => OverviewRow['owner'],
): Column<OverviewRow> => ({
  id,
  header,
  width: 110,
  roomyWidth: 150,
  priority,
  csv: (row) => {
    const value = read(row)
    return value === null ? null : visibleName(value.name)
  },
  cell: (row) => {
    const value = read(row)
    return value === null ? <span className="faint">–</span> : <Name focusable>{ownerWords(value)}</Name>
  },
})

const wholeSentence = (...parts: (string | null)[]) => parts.filter((text) => text !== null).join('. ')

/** The sentence; where a cause is named, a line for each. */
function Standing({ row }: { row: OverviewRow }) {
  const isFaint = row.severity === null || row.severity === 'normal'
  const cause = causeClause(row.cause)
  if (cause !== null)
    return (
      <span className="grid narrow" title={`${row.sentence.text}. ${cause}`}>
        <span className="cut">{row.sentence.text}</span>
        <span className="cut">{cause}</span>
      </span>
    )
  return (
    <span className={`clamp tight ${isFaint ? 'muted' : ''}`} title={row.sentence.text}>
      {row.sentence.text}
    </span>
  )
}
