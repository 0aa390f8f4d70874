/** The cursor's reading as DOM. Names become text nodes: whatever they contain, they are never read as markup. */

import { type ChartTokens, colorOf } from '../../charts/tokens'
import type { CursorReading, CursorRow } from '../../charts/tooltip'
import styles from './Cursor.module.css'

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string | undefined,
  ...children: (Node | string)[]
) {
  const node = document.createElement(tag)
  if (className) node.className = className
  node.append(...children)
  return node
}

function swatch(row: CursorRow, tokens: ChartTokens): HTMLElement {
  const node = element('span', styles.swatch)
  node.style.borderTopColor = colorOf(row, tokens)
  node.style.borderTopStyle = row.stroke
  return node
}

function across(text: string, columns: number): HTMLElement {
  const cell = element('td', undefined, text)
  cell.colSpan = Math.max(1, columns)
  return cell
}

export function cursorElement(reading: CursorReading | null, tokens: ChartTokens): HTMLElement | null {
  if (reading === null) return null
  const table = element('table', styles.table)
  if (reading.rows.length > 0) {
    table.append(
      element(
        'tr',
        undefined,
        element('td', undefined),
        ...reading.headings.map((heading) => element('th', undefined, heading)),
      ),
    )
  }
  for (const row of reading.rows) {
    const label = element('td', undefined, swatch(row, tokens), row.label)
    const values = row.values.map((value) => element('td', undefined, value ?? '–'))
    table.append(element('tr', undefined, label, ...(row.whole === null ? values : [across(row.whole, values.length)])))
  }
  const notes = reading.notes.map((note) => element('p', styles.note, note))
  return element('div', styles.cursor, element('p', styles.time, reading.time), table, ...notes)
}
