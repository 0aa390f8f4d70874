import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { DiagnosisSkeleton } from './Skeletons'

it('skeleton of a diagnosis: the headings stand already, not slabs alone', () => {
  render(
    <MantineProvider withGlobalClasses={false} withCssVariables={false}>
      <DiagnosisSkeleton />
    </MantineProvider>,
  )
  expect(screen.getAllByRole('heading').map(({ textContent }) => textContent)).toEqual(['Diagnosis'])
  expect(screen.getAllByText('Loading …')).toHaveLength(1)
})
