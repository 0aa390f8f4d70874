/** Where the I/Os are: how many are inside each layer on average. */

import type { Occupancy } from '../../api/types'
import { stepsThatAddUp } from '../../charts/waterfall'
import * as commonCopy from '../../copy/common'
import * as outstandingCopy from '../../copy/outstanding'
import { CopyLink, type CsvTable, SaveCsv, Tools } from '../../kit/chart/tools'
import { Card } from '../../kit/layout/Card'
import { NoNumbers } from '../diagnosis/NoNumbers'
import { LayerBar, LayerSwatch } from '../io-path/LayerBar'
import { boundText, inSteps, ios } from './ios'
import { worthTelling } from './layerWords'

export function OccupancyCard({ occupancy }: { occupancy: Occupancy }) {
  const { state, total_ios, layers, outstanding_ios, not_measured } = occupancy
  const { total, told } = toldOccupancy(total_ios ?? 0, layers)
  const isThere = total_ios !== null && state !== 'idle' && state !== 'no_data'
  return (
    <Card
      title={outstandingCopy.title}
      hint={outstandingCopy.hint}
      actions={isThere && <Exports occupancy={occupancy} />}
    >
      {isThere ? (
        <>
          <p className="page-title" style={{ marginBottom: 10 }}>
            {total} {outstandingCopy.total}
            {layers.length > 0 && <span className="muted">: {inWords(told)}</span>}
          </p>
          <LayerBar
            tall
            pieces={layers.map((layer) => ({ ...layer, size: layer.ios }))}
            max={total_ios}
            words={outstandingCopy.barLabel(total, inWords(told))}
          />
          <LayersTable layers={told} />
          <p className="quiet pretty above">
            {outstanding_ios === null ? outstandingCopy.notPolled : outstandingCopy.crossCheck(ios(outstanding_ios))}
            {not_measured.length > 0 && outstandingCopy.notMeasured(not_measured.join(', '))}
          </p>
        </>
      ) : (
        <NoNumbers title={outstandingCopy.none} state={state} />
      )}
    </Card>
  )
}

function Exports({ occupancy: { subject, from_at, to_at, ...numbers } }: { occupancy: Occupancy }) {
  return (
    <Tools>
      <SaveCsv title={outstandingCopy.csvTitle(subject.name)} csv={() => occupancyCsv(numbers)} />
      <CopyLink from_ms={Date.parse(from_at)} to_ms={Date.parse(to_at)} />
    </Tools>
  )
}

/** Raw numbers: the total, what the virtual disks counted, each layer with its bounds; what was not measured is empty. */
export function occupancyCsv({
  total_ios,
  outstanding_ios,
  layers,
  not_measured,
}: Pick<Occupancy, 'total_ios' | 'outstanding_ios' | 'layers' | 'not_measured'>): CsvTable {
  return {
    header: ['layer', 'ios_inside', 'lower_ios', 'upper_ios'],
    rows: [
      ['total', total_ios, null, null],
      [outstandingCopy.csvVirtualDisks, outstanding_ios, null, null],
      ...layers.map((one) => [one.label, one.ios, one.lower_ios, one.upper_ios]),
      ...not_measured.map((layer) => [layer, null, null, null]),
    ],
  }
}

/** A layer with its I/Os and their bounds in words, all in the same steps. */
type ToldLayer = OccupancyLayer & { told: string; between: string }
type OccupancyLayer = Occupancy['layers'][number]

/** The same for the total and its layers. */
const decimalsOf = (total_ios: number) => (total_ios < 1 ? 2 : total_ios < 100 ? 1 : 0)

/** The total and its layers as they are written: whoever adds the layers up comes to the total, where nothing is left out of them. */
export function toldOccupancy(
  total_ios: number,
  layers: readonly OccupancyLayer[],
): { total: string; told: ToldLayer[] } {
  const decimals = decimalsOf(total_ios)
  const exact = layers.map((layer) => layer.ios * 10 ** decimals)
  const sum = exact.reduce((steps, one) => steps + one, 0)
  const whole = Math.round(total_ios * 10 ** decimals)
  const steps = stepsThatAddUp(exact, Math.abs(sum - whole) < 1 ? whole : Math.round(sum))
  const told = layers.map((layer, index) => ({
    ...layer,
    told: layer.ios > 0 ? inSteps(layer.ios, decimals, steps[index]) : boundText(layer.upper_ios, decimals),
    between: commonCopy.range(inSteps(layer.lower_ios, decimals), inSteps(layer.upper_ios, decimals)),
  }))
  return { total: inSteps(total_ios, decimals), told }
}

function LayersTable({ layers }: { layers: readonly ToldLayer[] }) {
  return (
    <table className="lines" aria-label={outstandingCopy.tableLabel}>
      <thead>
        <tr>
          <th scope="col">{commonCopy.layer}</th>
          <th scope="col" className="right numeric">
            {outstandingCopy.outstanding}
          </th>
          <th scope="col" className="right numeric">
            {commonCopy.rangeHeader}
          </th>
        </tr>
      </thead>
      <tbody>
        {layers.map((layer) => (
          <tr key={layer.name}>
            <td>
              <span className="inline-row gap-8">
                <LayerSwatch layers={layer.layers} />
                {layer.label}
              </span>
            </td>
            <td className="right numeric">{layer.told}</td>
            <td className="right numeric">{layer.between}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** "0.28 SAN, 0.35 Array; of these at most 0.34 Kernel": all that have a part of the bar, then bounds that are worth telling. */
function inWords(layers: readonly ToldLayer[]): string {
  const worth = new Set(worthTelling(layers, (layer) => layer.ios || layer.upper_ios))
  const parts = layers.filter(({ ios }) => ios > 0).map(({ told, label }) => `${told} ${label}`)
  const bounds = layers
    .filter((layer) => layer.ios === 0 && worth.has(layer))
    .map(({ told, label }) => `${told} ${label}`)
  return [parts.join(', '), bounds.length === 0 ? '' : outstandingCopy.ofThese(bounds.join(', '))]
    .filter(Boolean)
    .join('; ')
}
