import type { Layer } from '../../api/types'
import { useParameter } from '../../lib/url'
import { CONTRIBUTED_LAYER } from '../parameters'

export const LAYERS: readonly Layer[] = ['guest', 'kernel', 'san', 'array']

/** The layer by which VMs and hosts are ranked: the chosen one, else the outermost that the diagnosis names. */
export function useContributedLayer(named: readonly Layer[]) {
  const [chosen, choose] = useParameter(CONTRIBUTED_LAYER)
  return [(chosen || undefined) ?? LAYERS.find((one) => named.includes(one)) ?? 'kernel', choose] as const
}
