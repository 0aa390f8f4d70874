import { DEFAULT_THEME, mergeMantineTheme } from '@mantine/core'
import { expect, it } from 'vitest'
import { theme } from './theme'

const merged = mergeMantineTheme(DEFAULT_THEME, theme)
const colorsOf = (variant: string, color: string = merged.primaryColor) =>
  merged.variantColorResolver({ theme: merged, variant, color })

it('filled controls have ink and background of the tokens, red ones for what removes', () => {
  const filled = { background: 'var(--gv-accent)', hover: 'var(--gv-accent)', color: 'var(--gv-accent-ink)' }
  expect(colorsOf('filled')).toMatchObject(filled)
  expect(colorsOf('filled', 'red')).toMatchObject({ ...filled, background: 'var(--gv-bad)', hover: 'var(--gv-bad)' })
})

it('controls that are not filled keep their own ink', () => {
  for (const variant of ['default', 'subtle', 'light']) {
    expect(colorsOf(variant).color, variant).not.toBe('var(--gv-accent-ink)')
    expect(colorsOf(variant).background, variant).not.toBe('var(--gv-accent)')
  }
})
