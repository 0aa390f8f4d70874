/** What a tile says under the pointer: name and the diagnosis's own sentence, as text nodes. */

import type { OverviewRow } from '../../api/types'

export function tileTooltip(
  rowOf: (id: string) => OverviewRow | undefined,
  ink: { sunken: string; border: string; text: string },
) {
  return {
    trigger: 'item' as const,
    confine: true,
    transitionDuration: 0,
    backgroundColor: ink.sunken,
    borderColor: ink.border,
    textStyle: { color: ink.text },
    formatter: (params: unknown) => {
      const row = rowOf((params as { data?: { id?: string } }).data?.id ?? '')
      return row === undefined ? '' : tileText(row)
    },
  }
}

function tileText({ subject, sentence }: OverviewRow): HTMLElement {
  const name = document.createElement('strong')
  name.textContent = subject.name
  const words = document.createElement('div')
  words.textContent = sentence.text
  const box = document.createElement('div')
  box.style.maxWidth = '420px'
  box.style.whiteSpace = 'normal'
  box.style.overflowWrap = 'anywhere'
  box.append(name, words)
  return box
}
