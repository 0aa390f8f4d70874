import { MantineProvider } from '@mantine/core'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import type { Ref } from '../../api/types'
import { PreferencesProvider } from '../../lib/preferences'
import { RefList } from '../object/RefList'
import { SidesKey } from './SidesBar'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, children }: { to: string; children: ReactNode }) => <a href={to}>{children}</a>,
}))

const show = (node: ReactNode) =>
  render(
    <PreferencesProvider>
      <MantineProvider withGlobalClasses={false} withCssVariables={false}>
        {node}
      </MantineProvider>
    </PreferencesProvider>,
  )

it('of very many links the first fifty are drawn, and all of them on request', async () => {
  const refs = Array.from({ length: 60 }, (_, n): Ref => ({ kind: 'vm', id: n + 1, name: `vm-${n + 1}` }))
  show(<RefList refs={refs} label="VMs on this datastore" />)
  const links = () => within(screen.getByRole('list', { name: 'VMs on this datastore' })).getAllByRole('link').length
  expect(links()).toBe(50)
  await userEvent.click(screen.getByRole('button', { name: 'Show all 60' }))
  expect(links()).toBe(60)
  expect(screen.queryByRole('button')).toBeNull()
})

it('the colors of the bars are named once for a list', () => {
  show(<SidesKey />)
  const words = screen.getAllByRole('listitem').map(({ textContent }) => textContent?.trim())
  expect(words).toEqual([
    'GAVG (guest latency): DAVG (device latency)',
    '+ KAVG (kernel latency)',
    'array',
    'SAN',
    'within counter resolution',
  ])
})
