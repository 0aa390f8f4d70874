/** Which boards a wall can show, how they take turns, and how large they are written. Pure. */

import type { EntityKind } from '../../api/queries'
import { kindInAddress } from '../../domain/kinds'
import { type GroupName, groupOfBoard } from '../../domain/object/group'

/** `worst`: the things of a kind that lose most, under the environment; `group`: the VMs of one; `one`: a single thing. */
export type BoardName =
  | { name: string; show: 'worst'; of: EntityKind }
  | { name: string; show: 'group'; group: GroupName }
  | { name: string; show: 'one'; of: EntityKind; id: number }

/** "environment", "vms", "arrays-3", "group:application%3Dfinance"; null for what is no board. */
export function parseBoard(name: string): BoardName | null {
  const group = groupOfBoard(name)
  if (group !== null) return { name, show: 'group', group }
  if (name === 'environment') return { name: 'environment', show: 'worst', of: 'datastores' }
  const [kind, id, ...rest] = name.split('-')
  const of = kindInAddress(kind)?.id
  if (of === undefined || rest.length > 0) return null
  if (id === undefined) return { name, show: 'worst', of }
  return /^[1-9]\d{0,8}$/.test(id) ? { name, show: 'one', of, id: Number(id) } : null
}

/** The boards of a comma-separated list, in its order, and the words in it that are none. */
export function parseBoards(list: string): { boards: BoardName[]; unknown: string[] } {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const parsed = names.map((name) => [name, parseBoard(name)] as const)
  return {
    boards: parsed.flatMap(([, board]) => board ?? []),
    unknown: parsed.filter(([, board]) => board === null).map(([name]) => name),
  }
}

const SHORTEST_S = 5
const LONGEST_S = 3600
const USUAL_S = 30

/** How long each board stays, in seconds: what is asked for, within reason. */
export function turnSeconds(text: string): number {
  const asked = Number(text)
  return text === '' || !Number.isFinite(asked) ? USUAL_S : Math.min(LONGEST_S, Math.max(SHORTEST_S, asked))
}

/** Whose turn it is: told by the clock, so that all walls of a room change at once and a reload changes nothing. */
export function turnAt(now_ms: number, boards: number, every_s: number): number {
  return boards === 0 ? 0 : Math.floor(now_ms / 1000 / every_s) % boards
}

export interface WallSize {
  /** Height of the base font in per cent of the screen's height. */
  font_vh: number
  /** Rows that fit. */
  rows: number
}

/** 43 of 1080 px on a screen of 55 inches, read from 4 m: 23.5 minutes of arc. */
const USUAL: WallSize = { font_vh: 4, rows: 6 }
const ANGLE_RAD = ((23.5 / 60) * Math.PI) / 180
const METERS_PER_INCH = 0.0254
const HEIGHT_OF_DIAGONAL = 9 / Math.hypot(16, 9)
/** Smaller is no wall; larger leaves no room for what is to be read. */
const [SMALLEST_VH, LARGEST_VH] = [2.4, 5.4]
/** Ems that head, environment and sources take, and one row. */
const [FRAME_EM, ROW_EM] = [9.6, 2.55]
/** A board of fewer ems across, on 16:9, names the worst on a line of its own. `Wall.module.css` says the same. */
const [NARROW_EM, NARROW_FRAME_EM] = [40, 11]
const [FEWEST_ROWS, MOST_ROWS] = [2, 8]

/** Letters that look equally large from wherever they are read; the farther, the fewer rows. */
export function wallSize({ screen_in, distance_m }: { screen_in: number; distance_m: number }): WallSize {
  if (!(screen_in > 0) || !(distance_m > 0)) return USUAL
  const height_m = screen_in * METERS_PER_INCH * HEIGHT_OF_DIAGONAL
  const wanted = (100 * distance_m * Math.tan(ANGLE_RAD)) / height_m
  const font_vh = Math.min(LARGEST_VH, Math.max(SMALLEST_VH, wanted))
  const height_em = 100 / font_vh
  const frame_em = (height_em * 16) / 9 < NARROW_EM ? NARROW_FRAME_EM : FRAME_EM
  const room = Math.floor((height_em - frame_em) / ROW_EM)
  return { font_vh, rows: Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, room)) }
}
