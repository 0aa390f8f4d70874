/** Where the I/Os are: how many are inside each layer on average. */

import type { Occupancy } from '../../api/types'
import { formatFixed } from '../../lib/units'
import { Card } from '../Card'
import { EmptyState } from '../DataState'
import { NO_VERDICT } from './certainty'
import { LayerBar, LayerSwatch } from './LayerBar'
import { worthTelling } from './layerWords'
import styles from './Verdict.module.css'

export function OccupancyCard({ occupancy }: { occupancy: Occupancy }) {
  const { state, total_ios, layers, outstanding_ios, not_measured } = occupancy
  return (
    <Card title="Where the I/Os are" hint="on average at any moment">
      {total_ios === null || state === 'idle' || state === 'no_data' ? (
        <EmptyState title="No I/O to be found" text={state === 'judged' ? '' : NO_VERDICT[state]} />
      ) : (
        <>
          <p className={styles.lead}>
            {ios(total_ios)} I/Os are on their way
            {layers.length > 0 && <span className="muted">: {inWords(layers)}</span>}
          </p>
          <LayerBar
            tall
            pieces={layers.map((layer) => ({ ...layer, size: layer.ios }))}
            max={total_ios}
            words={`${ios(total_ios)} I/Os: ${inWords(layers)}`}
          />
          <LayersTable layers={layers} />
          <p className={styles.note}>
            {outstanding_ios === null
              ? 'The virtual disks were not asked how many I/Os they have outstanding.'
              : `Cross-check: the virtual disks themselves counted ${ios(outstanding_ios)} outstanding.`}
            {not_measured.length > 0 && ` Not measured, so not in here: ${not_measured.join(', ')}.`}
          </p>
        </>
      )}
    </Card>
  )
}

type OccupancyLayer = Occupancy['layers'][number]

function LayersTable({ layers }: { layers: readonly OccupancyLayer[] }) {
  return (
    <table className={styles.rows} aria-label="I/Os inside each layer">
      <thead>
        <tr>
          <th scope="col">Layer</th>
          <th scope="col" className={styles.number}>
            I/Os inside
          </th>
          <th scope="col" className={styles.number}>
            between
          </th>
        </tr>
      </thead>
      <tbody>
        {layers.map((layer) => (
          <tr key={layer.name}>
            <td>
              <span className={styles.named}>
                <LayerSwatch layers={layer.layers} />
                {layer.label}
              </span>
            </td>
            <td className={styles.number}>{iosWithin(layer)}</td>
            <td className={styles.number}>
              {ios(layer.lower_ios)} and {ios(layer.upper_ios)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const inWords = (layers: readonly OccupancyLayer[]) =>
  worthTelling(layers, (layer) => layer.ios || layer.upper_ios)
    .map((layer) => `${iosWithin(layer)} ${layer.label}`)
    .join(', ')

/** A zero that only means "fewer than the counters can tell" is told by its bound. */
export function iosWithin(one: { ios: number; upper_ios: number }): string {
  if (one.ios > 0 || one.upper_ios < 0.1) return ios(one.ios || one.upper_ios)
  return `≤ ${ios(one.upper_ios)}`
}

/** Never "0.0" for some. */
export function ios(value: number): string {
  if (value > 0 && value < 0.1) return '<0.1'
  return formatFixed(value, value < 10 && value > 0 ? 1 : 0)
}
