/** Names what a page does not understand of its address: nothing of a link is ignored in silence. */

import { Alert, Button } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import * as addressCopy from '../copy/address'
import { Icon } from '../kit/mark/Icon'
import { addressProblems, type Parameter } from '../lib/parameters'
import type { FlatSearch } from '../lib/search'
import { visibleName } from '../lib/text'
import { useSetSearch } from '../lib/url'

const NONE: readonly Parameter[] = []

export function AddressNote() {
  const page = useRouterState({ select: ({ matches }) => matches.at(-1) })
  const setSearch = useSetSearch()
  const problems = addressProblems((page?.search ?? {}) as FlatSearch, page?.staticData.parameters ?? NONE)
  if (problems.length === 0) return null
  const without = Object.fromEntries(problems.map(({ name }) => [name, undefined]))
  return (
    <Alert
      // Else the column takes its height for the page below.
      className="fixed"
      color="yellow"
      variant="outline"
      role="status"
      mb={16}
      icon={<Icon name="warning" />}
      title={addressCopy.title}
    >
      <ul className="breaks" style={{ marginBottom: 4 }}>
        {problems.map(({ name, value, takes }) => {
          const parameter = visibleName(`${name}=${value}`.slice(0, 120))
          return (
            <li key={name}>
              {takes === null ? addressCopy.unknown(parameter) : addressCopy.invalid(parameter, takes)}
            </li>
          )
        })}
      </ul>
      <p>{addressCopy.ranges}</p>
      <Button mt={10} size="compact-xs" variant="default" onClick={() => setSearch(without, { replace: true })}>
        {addressCopy.remove}
      </Button>
    </Alert>
  )
}
