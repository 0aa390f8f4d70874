import { useEffect, useRef } from 'react'

/** Brings the focus to the first field that has to be changed. `refusals`: how often the form was refused, by itself or by the server. */
export function useProblemFocus(refusals: number) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [refusals])
  return form
}
