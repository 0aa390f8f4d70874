/** What a press opens is code of its own: fetched while there is nothing else to do, by the press at the latest. */

import { Button } from '@mantine/core'
import { type ComponentType, useEffect, useState } from 'react'
import * as errorsCopy from '../../copy/errors'
import { whenIdle } from './idle'
import styles from './OnPress.module.css'

/** A page's own code and first answers go before. */
const PAGE_FIRST_MS = 1_000

/** Answers the way not to do it. */
function later(fetch: () => void): () => void {
  let stop: (() => void) | undefined
  const timer = setTimeout(() => {
    stop = whenIdle(fetch)
  }, PAGE_FIRST_MS)
  return () => {
    clearTimeout(timer)
    stop?.()
  }
}

type Load<Props> = () => Promise<ComponentType<Props>>

interface Code<Props> {
  /** Null until it was fetched. */
  known: () => ComponentType<Props> | null
  fetch: Load<Props>
}

function codeOf<Props>(load: Load<Props>): Code<Props> {
  let known: ComponentType<Props> | null = null
  return {
    known: () => known,
    fetch: async () => {
      known ??= await load()
      return known
    },
  }
}

/** A dialog that is drawn open. Its page fetches it by `useAhead`. */
export function onPress<Props extends object>(load: Load<Props>) {
  const code = codeOf(load)
  function OnPress(props: Props) {
    const { Known, isMissing } = useCode(code, true)
    if (Known === null) return isMissing && <Missing />
    return <Known {...props} />
  }
  return Object.assign(OnPress, { fetch: code.fetch })
}

/** What stands closed before it is opened, so that it knows where the focus was. */
export function standing<Props extends { opened: boolean }>(load: Load<Props>) {
  const code = codeOf(load)
  return function Standing(props: Props) {
    const { opened } = props
    const { Known, isMissing } = useCode(code, opened)
    const [stands, setStands] = useState(false)
    useEffect(() => setStands(Known !== null), [Known])
    if (Known === null) return isMissing && <Missing />
    return <Known {...props} opened={opened && stands} />
  }
}

/** Fetches what will be pressed; what fails now is fetched again, and told, by the press. */
export function useAhead(...presses: readonly { fetch: () => Promise<unknown> }[]): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page has the same all its life
  useEffect(() => later(() => presses.forEach(({ fetch }) => void fetch().catch(() => undefined))), [])
}

function useCode<Props>(code: Code<Props>, isAwaited: boolean) {
  const [Known, setKnown] = useState(code.known)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    setMissing(false)
    if (Known !== null) return
    let isLeft = false
    function fetchIt() {
      code.fetch().then(
        (found) => isLeft || setKnown(() => found),
        () => isLeft || setMissing(isAwaited),
      )
    }
    const stop = isAwaited ? fetchIt() : later(fetchIt)
    return () => {
      isLeft = true
      stop?.()
    }
  }, [code, Known, isAwaited])
  return { Known, isMissing }
}

function Missing() {
  return (
    <div role="alert" className={`${styles.missing} row ink gap-12`}>
      <span>{errorsCopy.dialogFailed}</span>
      <Button variant="default" size="xs" onClick={() => location.reload()}>
        {errorsCopy.reload}
      </Button>
    </div>
  )
}
