/** Sentences in the parts that the API gives, for tests. */

import type { Sentence } from '../api/types'

export function headOf(text: string): Sentence['head'] {
  const [headline = '', detail = ''] = text.split(': ', 2)
  return { headline, detail, text }
}
