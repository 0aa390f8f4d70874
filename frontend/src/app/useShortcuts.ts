/** Keys that work everywhere: `/` and Ctrl-K or Cmd-K search, `g d` datastores …, `[` `]` time window, `?` help. */

import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import { serverNow } from '../lib/clock'
import { shiftRange } from '../lib/range'
import { useRange } from '../lib/url'
import { menuPath, PAGES } from './pages'
import { SEARCH_ID } from './SearchBox'

const SEQUENCE_MS = 1500

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}

export function useShortcuts(openHelp: () => void): void {
  const navigate = useNavigate()
  const [range, setRange] = useRange()
  const lastG = useRef(Number.NEGATIVE_INFINITY)

  const act = useEffectEvent((key: string, at_ms: number): boolean => {
    const goesTo = PAGES.find((page) => page.menu?.key === key)
    if (goesTo && at_ms - lastG.current < SEQUENCE_MS) {
      lastG.current = Number.NEGATIVE_INFINITY
      void navigate({ to: menuPath(goesTo) })
      return true
    }
    if (key === 'g') lastG.current = at_ms
    else if (key === '/') document.getElementById(SEARCH_ID)?.focus()
    else if (key === '?') openHelp()
    else if (key === '[' || key === ']') setRange(shiftRange(range, key === '[' ? -1 : 1, serverNow()))
    else return false
    return true
  })

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const isModified = event.ctrlKey || event.metaKey
      const isPalette = isModified && event.key === 'k'
      if (!isPalette && (isModified || event.altKey || isTyping(event.target))) return
      if (act(isPalette ? '/' : event.key, event.timeStamp)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
