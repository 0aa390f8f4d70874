/** What can be done from the search box besides opening an object: pages by their title, actions, and time ranges as they are typed. */

import * as commonCopy from '../copy/common'
import * as navigationCopy from '../copy/navigation'
import * as paletteCopy from '../copy/palette'
import type { IconName } from '../kit/mark/Icon'
import { THEMES, type ThemeChoice } from '../lib/preferences'
import type { Range } from '../lib/range'
import type { FlatSearch } from '../lib/search'
import type { Zone } from '../lib/time'
import { typedRange } from '../lib/typedRange'
import { menuPath, PAGES, type Page } from './pages'

interface Titled {
  id: string
  title: string
}

export type Command =
  | { kind: 'page'; id: string; page: Page; address: string }
  | (Titled & { kind: 'dialog'; icon: IconName; address: string; search: FlatSearch })
  | (Titled & { kind: 'theme'; theme: ThemeChoice })
  | (Titled & { kind: 'zone'; zone: Zone })
  | { kind: 'range'; id: string; range: Range }

const MOST_PAGES = 5

const DIALOGS: readonly Command[] = [
  {
    kind: 'dialog',
    id: 'add-source',
    title: commonCopy.addSource,
    icon: 'plus',
    address: '/sources',
    search: { do: 'add' },
  },
]
const THEME_COMMANDS = THEMES.map(
  (theme): Command => ({
    kind: 'theme',
    id: `theme-${theme}`,
    title: paletteCopy.setting(navigationCopy.theme, navigationCopy.THEME_WORDS[theme]),
    theme,
  }),
)
const ZONES: readonly Command[] = (['utc', 'local'] as const).map((zone) => ({
  kind: 'zone',
  id: `zone-${zone}`,
  title: paletteCopy.setting(navigationCopy.timeZone, zone === 'utc' ? navigationCopy.utc : paletteCopy.ownZone),
  zone,
}))
const ACTIONS = [...DIALOGS, ...THEME_COMMANDS, ...ZONES]

/** For a text; without one, none. canChange: whether dialogs that change something are offered. */
export function commandsFor(text: string, now_ms: number, zone: Zone, canChange = true): Command[] {
  const asked = text.trim().toLowerCase()
  if (asked === '') return []
  const range = typedRange(asked, now_ms, zone)
  if (range !== null) return [{ kind: 'range', id: 'range', range }]
  const pages = PAGES.filter(
    (page) => !page.isLinked && !page.path.includes('$id') && page.title.toLowerCase().includes(asked),
  ).map((page): Command => ({ kind: 'page', id: `page-${page.path}`, page, address: menuPath(page) }))
  const actions = ACTIONS.filter(
    (one) => 'title' in one && one.title.toLowerCase().includes(asked) && (canChange || one.kind !== 'dialog'),
  )
  return [...pages.slice(0, MOST_PAGES), ...actions]
}
