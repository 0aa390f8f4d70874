/** Where the I/Os are: how many are inside each layer on average. */

import type { Occupancy } from '../../api/types'
import { formatFixed } from '../../lib/units'
import { Card } from '../Card'
import { LayerBar, LayerSwatch } from './LayerBar'
import { worthTelling } from './layerWords'
import { NoNumbers } from './NoNumbers'
import styles from './Verdict.module.css'

export function OccupancyCard({ occupancy }: { occupancy: Occupancy }) {
  const { state, total_ios, layers, outstanding_ios, not_measured } = occupancy
  const decimals = decimalsOf(total_ios ?? 0)
  const total = toldTotal(total_ios ?? 0, layers, decimals)
  const told = layers.map((layer) => toldLayer(layer, decimals))
  return (
    <Card title="Where the I/Os are" hint="on average at any moment">
      {total_ios === null || state === 'idle' || state === 'no_data' ? (
        <NoNumbers title="No I/O to be found" state={state} />
      ) : (
        <>
          <p className={styles.lead}>
            {total} I/Os are on their way
            {layers.length > 0 && <span className="muted">: {inWords(told)}</span>}
          </p>
          <LayerBar
            tall
            pieces={layers.map((layer) => ({ ...layer, size: layer.ios }))}
            max={total_ios}
            words={`${total} I/Os: ${inWords(told)}`}
          />
          <LayersTable layers={told} />
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

/** A layer with its I/Os and their bounds in words, all in the same steps. */
type ToldLayer = OccupancyLayer & { told: string; between: string }
type OccupancyLayer = Occupancy['layers'][number]

/** The same for the total and its layers: tenths, but for large totals. */
const decimalsOf = (total_ios: number) => (total_ios < 100 ? 1 : 0)

function toldLayer(layer: OccupancyLayer, decimals: number): ToldLayer {
  const [lower, upper] = [inSteps(layer.lower_ios, decimals), inSteps(layer.upper_ios, decimals)]
  return {
    ...layer,
    told: layer.ios > 0 ? inSteps(layer.ios, decimals) : iosWithin(layer),
    between: `${lower} and ${upper}`,
  }
}

/** The sum of the layers as they are written, so that whoever adds them up comes to the same; what they leave out is not in them. */
function toldTotal(total_ios: number, layers: readonly OccupancyLayer[], decimals: number): string {
  const per = 10 ** decimals
  const sum = layers.reduce((steps, layer) => steps + Math.round(layer.ios * per), 0) / per
  return inSteps(Math.abs(sum - total_ios) * per <= layers.length / 2 ? sum || total_ios : total_ios, decimals)
}

/** Never "0.0" for some. */
function inSteps(value: number, decimals: number): string {
  const step = 10 ** -decimals
  return value > 0 && value < step ? `<${formatFixed(step, decimals)}` : formatFixed(value, value === 0 ? 0 : decimals)
}

function LayersTable({ layers }: { layers: readonly ToldLayer[] }) {
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
            <td className={styles.number}>{layer.told}</td>
            <td className={styles.number}>{layer.between}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const inWords = (layers: readonly ToldLayer[]) =>
  worthTelling(layers, (layer) => layer.ios || layer.upper_ios)
    .map((layer) => `${layer.told} ${layer.label}`)
    .join(', ')

/** A zero that only means "fewer than the counters can tell" is told by its bound. */
export function iosWithin(one: { ios: number; upper_ios: number }): string {
  if (one.ios > 0 || one.upper_ios < 0.1) return ios(one.ios || one.upper_ios)
  return `≤ ${ios(one.upper_ios)}`
}

/** Never "0.0" for some. */
export function ios(value: number): string {
  return inSteps(value, value < 10 ? 1 : 0)
}
