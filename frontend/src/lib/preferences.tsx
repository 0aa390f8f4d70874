/** What belongs to the viewer and not to the link: theme and time zone. Kept in the browser. */

import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Zone } from './time'

export const THEMES = ['auto', 'dark', 'light', 'contrast'] as const
export type ThemeChoice = (typeof THEMES)[number]
export type Theme = Exclude<ThemeChoice, 'auto'>

interface Preferences {
  themeChoice: ThemeChoice
  theme: Theme
  setThemeChoice: (choice: ThemeChoice) => void
  zone: Zone
  setZone: (zone: Zone) => void
}

const PreferencesContext = createContext<Preferences | null>(null)

export function usePreferences(): Preferences {
  const value = useContext(PreferencesContext)
  if (value === null) throw new Error('usePreferences needs a PreferencesProvider above it')
  return value
}

export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [themeChoice, setThemeChoice] = useStored<ThemeChoice>('gavel.theme', THEMES, 'auto')
  const [zone, setZone] = useStored<Zone>('gavel.zone', ['utc', 'local'], 'utc')
  const systemIsDark = useMediaMatch('(prefers-color-scheme: dark)')
  const theme = themeChoice === 'auto' ? (systemIsDark ? 'dark' : 'light') : themeChoice

  useEffect(() => {
    document.documentElement.dataset.theme = theme
  }, [theme])

  const value = useMemo(
    () => ({ themeChoice, theme, setThemeChoice, zone, setZone }),
    [themeChoice, theme, setThemeChoice, zone, setZone],
  )
  return <PreferencesContext value={value}>{children}</PreferencesContext>
}

function useStored<Value extends string>(key: string, allowed: readonly Value[], fallback: Value) {
  const [value, setValue] = useState<Value>(() => allowed.find((one) => one === readStored(key)) ?? fallback)
  const store = useCallback(
    (next: Value) => {
      setValue(next)
      writeStored(key, next)
    },
    [key],
  )
  return [value, store] as const
}

/** A text of the viewer's own under a name; empty: none was kept. */
export function useStoredText(key: string) {
  const [value, setValue] = useState(() => readStored(key) ?? '')
  const store = useCallback(
    (next: string) => {
      setValue(next)
      writeStored(key, next)
    },
    [key],
  )
  return [value, store] as const
}

// Browsers with storage switched off throw on access: the choice then lasts as long as the page.
function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    return
  }
}

// Tables and charts ask a few things many times: the browser is asked once for each.
const media = new Map<string, MediaQueryList>()

function mediaOf(query: string): MediaQueryList {
  const list = media.get(query) ?? matchMedia(query)
  media.set(query, list)
  return list
}

export function useMediaMatch(query: string): boolean {
  const subscribe = useCallback(
    (notify: () => void) => {
      const list = mediaOf(query)
      list.addEventListener('change', notify)
      return () => list.removeEventListener('change', notify)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => mediaOf(query).matches)
}
