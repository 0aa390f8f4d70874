import { type KeyboardEventHandler, type Ref, useImperativeHandle, useLayoutEffect } from 'react'

/** What the element does not know by itself. */
const TOLD = ['aria-controls', 'aria-activedescendant'] as const

type Told = { [Name in (typeof TOLD)[number]]?: string }

interface StandInProps extends Told {
  of: HTMLElement | null
  ref?: Ref<HTMLElement | null>
  onKeyDown?: KeyboardEventHandler
  /** Told what is to be asked when a key is pressed in the element. */
  onKeys?: (handler: KeyboardEventHandler | undefined) => void
}

/** In the place of an element that was drawn before: parts of Mantine want to wrap what they belong to. */
export function StandIn({ of, ref, onKeyDown, onKeys, ...told }: StandInProps) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => of, [of])
  useLayoutEffect(() => onKeys?.(onKeyDown))
  useLayoutEffect(() => {
    for (const name of TOLD) tell(of, name, told[name])
  })
  return null
}

function tell(element: HTMLElement | null, name: string, value: string | undefined) {
  if (value === undefined) element?.removeAttribute(name)
  else element?.setAttribute(name, value)
}
