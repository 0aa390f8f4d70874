import { useId, useMemo, useState } from 'react'

/** A button that stands on the page before the box that it opens has its code. */
export interface BoxButton {
  id: string
  element: HTMLElement | null
}

/** The button, and what it carries so that it is known to open a box. */
export function useBoxButton(isOpen: boolean) {
  const id = useId()
  const [element, ref] = useState<HTMLElement | null>(null)
  const button = useMemo((): BoxButton => ({ id, element }), [id, element])
  return { button, carried: { id, ref, 'aria-haspopup': 'dialog', 'aria-expanded': isOpen } as const }
}
