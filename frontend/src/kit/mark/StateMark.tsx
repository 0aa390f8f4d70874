/** A state as shape, word and color: never color alone. */

import { MARK_SHAPES, type Tone } from '../../lib/marks'

export type { Tone }

/** `shape`: one of its own, where a tone's would be taken for something else. */
export function StateMark({ tone, word, shape = MARK_SHAPES[tone] }: { tone: Tone; word: string; shape?: string }) {
  return (
    <span className={'inline-row nowrap medium gap-6'} data-tone={tone}>
      <svg width="12" height="12" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true">
        <path d={shape} fillRule="evenodd" />
      </svg>
      {word}
    </span>
  )
}
