/** Whose an object is, in words. */

import type { OverviewRow } from '../../api/types'
import * as labelsCopy from '../../copy/labels'
import { visibleName } from '../../lib/text'

export type Owner = NonNullable<OverviewRow['owner']>

/** "ada"; of what several share "ada 75 % of VMs, 3 owners". */
export const ownerWords = ({ name, share, owners }: Owner): string =>
  owners === 1 ? visibleName(name) : labelsCopy.sharedOwner(visibleName(name), Math.round(share * 100), owners)
