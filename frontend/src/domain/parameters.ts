/** Every parameter that an address of Gavel can have, beside the time range: pages.ts says which page takes which. */

import { LAYER_IDS } from '../charts/ioPath'
import { choice, number, text } from '../lib/parameters'
import { KINDS } from './kinds'

/** Pages of objects. */
export const TAB_IDS = ['summary', 'path', 'counters', 'findings', 'events'] as const
export type TabId = (typeof TAB_IDS)[number]
export const TAB = choice('tab', TAB_IDS, 'summary')
/** One device, disk or volume among the raw counters. */
export const PART = text('part')
/** Of which I/Os the latency breakdown is; empty: of all. */
export const BREAKDOWN_DIRECTION = choice('io', ['read', 'write'], '')
export const STACK = choice('stack', ['share'], '')
/** The layer whose range is drawn. */
export const BOUNDS = text('bounds')
/** The layer whose contributors are ranked. */
export const CONTRIBUTED_LAYER = choice('of', LAYER_IDS, '')

/** Tables. */
export const FILTER = text('q')
export const SOURCE = number('source')
export const VOLUMES_SORT = text('sort', '-latency')

/** The overview. */
export const WORST_FIRST = '-excess_outstanding'
export const RANKING_SORT = text('sort', WORST_FIRST)
export const RANKED_KIND = choice(
  'kind',
  KINDS.map(({ id }) => id),
  'datastores',
)
/** Groups: by which label, and which one, as "application=finance". */
export const GROUP_LABEL = text('by')
export const GROUP = text('group')
export const GROUP_KIND = choice(
  'kind',
  KINDS.map(({ id }) => id),
  'vms',
)
/** Worst first. */
export const WORST_SEVERITY_FIRST = ['high', 'elevated', 'normal'] as const

/** Alerts and sources. */
export const ALERT_SEVERITIES = ['critical', 'warning', 'info'] as const
export const ALERT_SEVERITY = choice('severity', ALERT_SEVERITIES, '')
/** A dialog that is open at once. */
export const DIALOG = choice('do', ['add', 'silence'], '')
export const CHANNEL = number('channel')
export const NOTIFICATION_STATE = text('state')
export const UNMATCHED = choice('unmatched', ['open', 'expected', 'all'], 'open')
export const UNMATCHED_KIND = text('kind')

/** Findings; without a state, those that are open or accepted. */
export const FINDING_STATES = ['open', 'accepted', 'cleared'] as const
export const FINDING_STATE = choice('state', [...FINDING_STATES, 'all'], '')
export const FINDING_SEVERITY = choice('severity', WORST_SEVERITY_FIRST, '')
export const FINDING_RULE = text('rule')
const FINDING_SORTS = ['severity', 'raised', '-raised', 'object', 'rule'] as const
export const FINDINGS_SORT = choice('sort', FINDING_SORTS, 'severity')

/** What-if: an object such as vm-17 or a published case, a device, and settings to try as `name:number` pairs. */
export const WHATIF_PARAMETERS = [text('object'), text('case'), text('device'), text('try')]

/** Walls. */
export const BOARDS = text('boards', 'environment')
export const BOARD_SECONDS = number('every_s')
export const SCREEN_INCHES = number('screen_in')
export const DISTANCE_METERS = number('distance_m')
