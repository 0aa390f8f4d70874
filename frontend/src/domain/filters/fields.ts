/** What the filters of lists are called. A new one: an entry here and in `filterValues`, and its word in `copy/filters`. */

import { LAYER_IDS, layerWord } from '../../charts/segments'
import * as filtersCopy from '../../copy/filters'
import { WORST_SEVERITY_FIRST } from '../parameters'
import { SEVERITIES } from '../severity/severity'
import type { FilterName } from './filterValues'

export interface FilterField {
  /** As addresses and the API call it. */
  name: FilterName
  label: string
  /** One of these; without them, any text. */
  choices?: readonly { value: string; label: string }[]
  placeholder?: string
  /** Set by links only. */
  isHidden?: boolean
}

export const SEVERITY: FilterField = {
  name: 'severity',
  label: filtersCopy.severity,
  choices: WORST_SEVERITY_FIRST.map((value) => ({ value, label: SEVERITIES[value].word })),
}

export const FIELDS: readonly FilterField[] = [
  SEVERITY,
  { name: 'layer', label: filtersCopy.layer, choices: LAYER_IDS.map((value) => ({ value, label: layerWord(value) })) },
  { name: 'owner', label: filtersCopy.owner },
  { name: 'application', label: filtersCopy.application },
  { name: 'label', label: filtersCopy.label, placeholder: filtersCopy.labelHint },
  { name: 'vcenter', label: filtersCopy.vcenter },
  { name: 'cluster', label: filtersCopy.cluster },
  { name: 'array', label: filtersCopy.array },
  { name: 'folder', label: filtersCopy.folder },
  { name: 'ip', label: filtersCopy.ip },
  { name: 'source', label: filtersCopy.source, isHidden: true },
]
