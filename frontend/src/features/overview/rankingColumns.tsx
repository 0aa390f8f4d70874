/** The columns of the ranking: who, the verdict's sentence, the layers as a bar, and the numbers it can be sorted by. */

import type { AlertOut, OverviewRow } from '../../api/types'
import { AlertBadge } from '../../components/alerts/AlertBadge'
import { EntityLink } from '../../components/EntityLink'
import { Quantity } from '../../components/Quantity'
import { StateMark } from '../../components/StateMark'
import type { Column } from '../../components/table/VirtualTable'
import { standingMark } from '../../components/verdict/certainty'
import { LayerBar } from '../../components/verdict/LayerBar'
import { layersWords } from '../../components/verdict/layerWords'
import { NamedLayer } from '../../components/verdict/NamedLayer'
import { ios } from '../../components/verdict/OccupancyCard'
import { piecesOf } from '../../components/verdict/pieces'
import styles from './Overview.module.css'

const HEADERS: Record<string, string> = { datastore: 'Datastore', host: 'Host', volume: 'Volume', array: 'Array' }

/** `alertsAt`: open alerts of a thing, worst first. */
export function rankingColumns(
  noun: string,
  max_us: number,
  alertsAt: (thing: OverviewRow['subject']) => readonly AlertOut[],
): Column<OverviewRow>[] {
  return [
    {
      id: 'name',
      header: HEADERS[noun] ?? noun,
      width: 168,
      narrow: 116,
      sortKey: 'name',
      cell: ({ subject }) => <EntityLink to={subject} />,
    },
    {
      id: 'verdict',
      header: 'Verdict',
      width: 138,
      narrow: 134,
      cell: (row) => (
        <span className={styles.verdict}>
          <StateMark {...standingMark(row)} />
          <NamedLayer row={row} className={styles.named} />
          <AlertBadge alerts={alertsAt(row.subject)} />
        </span>
      ),
    },
    {
      id: 'sentence',
      header: 'Where the time goes',
      width: 250,
      grow: true,
      from: 700,
      cell: (row) => <Standing row={row} />,
    },
    {
      id: 'layers',
      header: 'By layer',
      width: 168,
      from: 1200,
      cell: (row) =>
        row.total_us === null ? (
          <span className="faint">–</span>
        ) : (
          <LayerBar pieces={piecesOf(row)} max={max_us} words={layersWords(row.layers)} />
        ),
    },
    {
      id: 'latency',
      header: 'Latency',
      width: 106,
      narrow: 94,
      align: 'right',
      sortKey: 'latency',
      cell: ({ total_us }) => <Quantity value={total_us} unit="µs" />,
    },
    {
      id: 'excess',
      header: 'Lost per I/O',
      width: 104,
      align: 'right',
      sortKey: 'excess',
      cell: ({ excess_us, state, certainty, until_at }) => (
        <span className={state === 'judged' && certainty !== 'healthy' && until_at === null ? styles.over : undefined}>
          <Quantity value={excess_us} unit="µs" />
        </span>
      ),
    },
    {
      id: 'impact',
      header: 'Waiting I/Os',
      width: 116,
      align: 'right',
      sortKey: 'impact',
      cell: ({ impact }) =>
        impact === null ? <Quantity value={null} unit="I/Os" /> : <span className="numeric">{ios(impact)}</span>,
    },
    {
      id: 'iops',
      header: 'IOPS',
      width: 106,
      align: 'right',
      sortKey: 'iops',
      from: 700,
      cell: ({ iops }) => <Quantity value={iops} unit="ops/s" bare />,
    },
    {
      id: 'grade',
      header: 'Grade',
      width: 66,
      align: 'right',
      from: 1600,
      cell: ({ grade }) => grade ?? <span className="faint">–</span>,
    },
  ]
}

function Standing({ row }: { row: OverviewRow }) {
  const isFaint = row.state !== 'judged' || row.certainty === 'healthy'
  return (
    <span className={`${styles.standing} ${isFaint ? 'muted' : ''}`} title={row.sentence}>
      {row.sentence}
    </span>
  )
}
