/** The columns of the ranking: who, the diagnosis's sentence, the layers as a bar, and the numbers it can be sorted by. */

import type { AlertOut, OverviewRow } from '../../api/types'
import * as breakdownCopy from '../../copy/breakdown'
import * as commonCopy from '../../copy/common'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as labelsCopy from '../../copy/labels'
import * as listsCopy from '../../copy/lists'
import * as overviewCopy from '../../copy/overview'
import { AlertBadge } from '../../domain/alerts/AlertBadge'
import { ios } from '../../domain/breakdown/ios'
import { layersWords } from '../../domain/breakdown/layerWords'
import { piecesOf } from '../../domain/diagnosis/pieces'
import { LayerBar } from '../../domain/io-path/LayerBar'
import { EntityLink } from '../../domain/object/EntityLink'
import { ownerWords } from '../../domain/object/owner'
import { ConfidenceLabel } from '../../domain/severity/ConfidenceLabel'
import { causeClause } from '../../domain/severity/causeClause'
import { SeverityMark } from '../../domain/severity/SeverityMark'
import { isElevated } from '../../domain/severity/severity'
import type { Column } from '../../kit/table/Column'
import { Name } from '../../kit/text/Name'
import { Quantity } from '../../kit/text/Quantity'
import { rounded } from '../../lib/csv'
import { visibleName } from '../../lib/text'
import styles from './Overview.module.css'

/** `alertsAt`: open alerts of a thing, worst first. */
const excessTone = ({ severity }: OverviewRow) => (severity === 'high' ? 'bad' : 'warn')

export function rankingColumns(
  title: string,
  max_us: number,
  alertsAt: (thing: OverviewRow['subject']) => readonly AlertOut[],
): Column<OverviewRow>[] {
  return [
    {
      id: 'name',
      header: title,
      width: 168,
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
          <span className={`${styles.labels} inline-row gap-6`}>
            <ConfidenceLabel diagnosis={row} />
            <AlertBadge alerts={alertsAt(row.subject)} />
          </span>
        </span>
      ),
    },
    {
      id: 'sentence',
      header: diagnosisCopy.title,
      width: 250,
      grow: true,
      csv: ({ sentence, cause }) => wholeSentence(sentence.text, causeClause(cause)),
      compact: ({ sentence, cause }) => wholeSentence(sentence.text, causeClause(cause)),
      cell: (row) => <Standing row={row} />,
    },
    {
      id: 'layers',
      header: breakdownCopy.title,
      width: 150,
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
      sortKey: 'latency',
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
      id: 'iops',
      header: commonCopy.iops,
      width: 106,
      align: 'right',
      sortKey: 'iops',
      csv: ({ iops }) => rounded(iops),
      cell: ({ iops }) => <Quantity value={iops} unit="ops/s" bare />,
    },
    {
      id: 'owner',
      header: labelsCopy.owner,
      width: 150,
      priority: 4,
      csv: ({ owner }) => (owner === null ? null : visibleName(owner.name)),
      cell: ({ owner }) =>
        owner === null ? <span className="faint">–</span> : <Name focusable>{ownerWords(owner)}</Name>,
    },
    {
      id: 'quality',
      header: overviewCopy.dataQuality,
      width: 66,
      align: 'right',
      priority: 4,
      csv: ({ quality }) => quality,
      cell: ({ quality }) => quality ?? <span className="faint">–</span>,
    },
  ]
}

const wholeSentence = (...parts: (string | null)[]) => parts.filter((text) => text !== null).join('. ')

/** The sentence; where a cause is named, a line for each. */
function Standing({ row }: { row: OverviewRow }) {
  const isFaint = row.severity === null || row.severity === 'normal'
  const cause = causeClause(row.cause)
  if (cause !== null)
    return (
      <span className={`${styles.caused} grid narrow`} title={`${row.sentence.text}. ${cause}`}>
        <span>{row.sentence.text}</span>
        <span>{cause}</span>
      </span>
    )
  return (
    <span className={`${styles.standing} clamp ${isFaint ? 'muted' : ''}`} title={row.sentence.text}>
      {row.sentence.text}
    </span>
  )
}
