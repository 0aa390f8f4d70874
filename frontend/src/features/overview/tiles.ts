/** A row of the ranking as a tile: how large, under which array, in whose color. Pure. */

import type { OverviewRow } from '../../api/types'
import { strengthOf, type Tile } from '../../charts/treemap'
import * as overviewCopy from '../../copy/overview'
import { namedLayers, namedWords } from '../../domain/io-path/namedWords'
import { severityLook } from '../../domain/severity/severity'
import type { Zone } from '../../lib/time'

export const keyOf = ({ subject }: Pick<OverviewRow, 'subject'>) => `${subject.kind}-${subject.id}`
export const iosOf = ({ iops, total_us }: OverviewRow) => ((iops ?? 0) * (total_us ?? 0)) / 1e6

export function tileOf(row: OverviewRow, zone: Zone): Tile {
  const { word } = severityLook(row, zone)
  // What is over loses its alarm's color.
  const named = row.until_at === null ? namedWords(row) : null
  return {
    id: keyOf(row),
    name: row.subject.name,
    group: groupOf(row),
    ios: iosOf(row),
    words: named ?? word,
    layers: named !== null ? namedLayers(row) : [],
    look: named !== null ? lookOf(row) : 'calm',
    strength: strengthOf(row.excess_us, row.baseline_us),
  }
}

/** The array that it is on, or all of them; an array stands for itself. */
function groupOf({ subject, arrays }: OverviewRow): Tile['group'] {
  if (subject.kind === 'array') return null
  if (arrays.length === 0) return { id: 'no-array', name: overviewCopy.noArray }
  return { id: arrays.map(({ id }) => `array-${id}`).join(','), name: arrayNames(arrays) }
}

export const arrayNames = (arrays: OverviewRow['arrays']) => arrays.map(({ name }) => name).join(' + ')

const lookOf = ({ confidence }: OverviewRow): Tile['look'] => confidence ?? 'calm'
