/** Load tools whose results are imported, what has to be chosen beside a file of each, and how that is sent. Pure. */

import type { ImportIn } from '../../api/types'
import { browserNow } from '../../lib/clock'
import { offsetText } from '../imports/offsets'

export type ResultTool = Exclude<ImportIn['format'], 'esxtop'>

export interface Choice {
  tool: ResultTool
  /** Of the clock of the machine that ran it: local time − UTC. */
  offset_minutes: number
  /** Local time there, as the field has it; empty: not given. */
  started: string
  /** How far that clock is ahead; empty: not given. */
  ahead_s: number | ''
  /** The virtual disk that the tool ran on; null: the whole VM. */
  disk_id: number | null
}

export const TOOLS: readonly ResultTool[] = ['fio', 'vdbench', 'diskspd', 'iometer', 'sqlio', 'hcibench']

/** Tools that write local times, or no date at all; logs of fio have times since it was started. */
const WITH_OFFSET: readonly ResultTool[] = ['fio', 'vdbench', 'diskspd', 'iometer', 'sqlio']
const WITHOUT_DATE: readonly ResultTool[] = ['fio', 'vdbench', 'diskspd', 'sqlio']

export const hasOffset = (tool: ResultTool) => WITH_OFFSET.includes(tool)
export const hasStart = (tool: ResultTool) => WITHOUT_DATE.includes(tool)

const LOCAL_MINUTE = '2026-03-14T09:30'

/** The zone of this browser is most often that of the VM. */
export const FIRST_CHOICE: Choice = {
  tool: 'fio',
  offset_minutes: 0 - new Date(browserNow()).getTimezoneOffset(),
  started: '',
  ahead_s: '',
  disk_id: null,
}

export function targetOf({
  tool,
  offset_minutes,
  started,
  ahead_s,
  disk_id,
}: Choice): Pick<ImportIn, 'format' | 'utc_bias_minutes' | 'started_at' | 'offset_s' | 'disk_id'> {
  return {
    format: tool,
    utc_bias_minutes: hasOffset(tool) ? 0 - offset_minutes : null,
    started_at: hasStart(tool) && started !== '' ? `${withSeconds(started)}${offsetText(offset_minutes)}` : null,
    offset_s: ahead_s === '' ? null : ahead_s,
    disk_id,
  }
}

/** Browsers leave seconds out where they are 0. */
const withSeconds = (local: string) => (local.length === LOCAL_MINUTE.length ? `${local}:00` : local)
