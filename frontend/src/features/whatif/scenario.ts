/** The scenario of a what-if as its address has it: an object or a published case, and the settings that differ from today's. */

import { useMemo } from 'react'
import type { WhatIfBody, WhatIfExample, WhatIfScenario } from '../../api/types'
import { LIFT, type NumberName, WORDS, written } from '../../domain/whatif/address'
import { type FlatSearch, useFlatSearch } from '../../lib/search'
import { useSetSearch } from '../../lib/url'

const NUMBER_NAMES = Object.keys(WORDS) as NumberName[]

const KINDS = ['datastore', 'vm', 'host', 'device'] as const
type Subject = NonNullable<WhatIfBody['subject']>

/** "vm-17"; null for what is none. */
export function parseObject(text: string): { kind: Subject['kind']; id: number } | null {
  const [, word, digits] = /^([a-z]+)-(\d{1,9})$/.exec(text) ?? []
  const kind = KINDS.find((one) => one === word)
  return kind === undefined || digits === undefined || Number(digits) < 1 ? null : { kind, id: Number(digits) }
}

const triedIn = (search: FlatSearch) =>
  new Map(
    (search.try ?? '').split(',').flatMap((pair): [string, number][] => {
      const [, word, number] = /^([a-z_]+):(\d{1,12}(?:\.\d{1,6})?)$/.exec(pair) ?? []
      return word === undefined ? [] : [[word, Number(number)]]
    }),
  )

/** The numbers that the address names. */
function numbersOf(search: FlatSearch): Partial<Record<NumberName, number>> {
  const tried = triedIn(search)
  return Object.fromEntries(
    NUMBER_NAMES.flatMap((name) => {
      const value = tried.get(WORDS[name])
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

const isLifted = (search: FlatSearch) => triedIn(search).get(LIFT) === 1

/** What is sent; null where the address names neither an object nor a case that is there. */
export function bodyOf(search: FlatSearch, example: WhatIfExample | undefined): WhatIfBody | null {
  const scenario = { ...numbersOf(search), lifts_iops_limit: isLifted(search) } as WhatIfScenario
  const object = parseObject(search.object ?? '')
  if (object !== null) {
    const device = Number(search.device ?? 0)
    const { from, to } = search
    const range = from !== undefined && to !== undefined ? { from_at: from, to_at: to } : {}
    return { subject: { ...object, ...(device > 0 ? { device_id: device } : {}), ...range } as Subject, scenario }
  }
  if (example === undefined) return null
  const typed = { load: example.load, settings: example.settings } as unknown as WhatIfBody['typed']
  return { typed, scenario }
}

/** A case with the settings that it tries, as an address. */
const addressOf = ({ id, scenario }: WhatIfExample): FlatSearch => ({
  object: undefined,
  device: undefined,
  case: id,
  try: written(
    new Map(
      NUMBER_NAMES.flatMap((name): [string, number][] => {
        const value = scenario[name]
        return value === undefined ? [] : [[WORDS[name], value]]
      }),
    ),
  ),
})

/** The settings of the address, and the way to change one; undefined is as it is today. */
export function useScenario() {
  const search = useFlatSearch()
  const setSearch = useSetSearch()
  return useMemo(() => {
    const put = (word: string, value: number | undefined) => {
      const tried = triedIn(search)
      if (value === undefined) tried.delete(word)
      else tried.set(word, value)
      setSearch({ try: written(tried) }, { replace: true })
    }
    return {
      search,
      numbers: numbersOf(search),
      isLifted: isLifted(search),
      set: (name: NumberName, value: number | undefined) => put(WORDS[name], value),
      lift: (lifted: boolean) => put(LIFT, lifted ? 1 : undefined),
      reset: () => setSearch({ try: undefined }),
      open: (example: WhatIfExample) => setSearch(addressOf(example)),
      choose: (device: string) => setSearch({ device: device === '' ? undefined : device }),
    }
  }, [search, setSearch])
}
