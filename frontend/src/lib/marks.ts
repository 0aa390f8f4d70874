/** The shapes of states, 12 × 12: what a colour says is always said by a shape, too, in text and in charts. */

export type Tone = 'good' | 'warn' | 'open' | 'bad' | 'calm'

export const MARK_SHAPES: Record<Tone, string> = {
  good: 'M6 1a5 5 0 100 10A5 5 0 006 1z',
  warn: 'M6 1l5.2 9.6H.8z',
  open: 'M6 1l5.2 9.6H.8zM6 4.2L3.3 9.2h5.4z',
  bad: 'M1 6l5-5 5 5-5 5z',
  calm: 'M2 5h8v2H2z',
}
