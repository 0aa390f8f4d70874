/** The shapes of states, 12 × 12: what a color says is always said by a shape, too, in text and in charts. */

export type Tone = 'good' | 'warn' | 'open' | 'bad' | 'calm'

// Arcs with every flag apart: charts read no shortened ones.
export const MARK_SHAPES: Record<Tone, string> = {
  good: 'M6 1A5 5 0 1 0 6 11A5 5 0 1 0 6 1z',
  warn: 'M6 1l5.2 9.6H.8z',
  open: 'M6 1l5.2 9.6H.8zM6 4.2L3.3 9.2h5.4z',
  bad: 'M1 6l5-5 5 5-5 5z',
  calm: 'M2 5h8v2H2z',
}
