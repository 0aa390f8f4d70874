/** Mantine dressed in Gavel's tokens: one set of colors for components, tables and charts. */

import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core'

// Mantine's own dark scale is brown-gray beside our navy cards.
const NAVY: MantineColorsTuple = [
  '#e8ecf4',
  '#c9d2e3',
  '#a3aec2',
  '#7c889f',
  '#3a465e',
  '#2a3448',
  '#1b2333',
  '#141a26',
  '#0f1521',
  '#0b0f17',
]

const BLUE: MantineColorsTuple = [
  '#eaf2ff',
  '#cfe1fb',
  '#a8c9f7',
  '#8fc0ff',
  '#5a9bf0',
  '#3b7ddd',
  '#2a66bf',
  '#1c4fa3',
  '#163f84',
  '#102f63',
]

/** Filled controls take their ink from the tokens too: white on our light blue is too faint. */
const filledInTokens: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input)
  if (input.variant !== 'filled') return colors
  const background = input.color === 'red' ? 'var(--gv-bad)' : 'var(--gv-accent)'
  return { ...colors, background, hover: background, color: 'var(--gv-accent-ink)' }
}

export const theme = createTheme({
  colors: { dark: NAVY, blue: BLUE },
  primaryColor: 'blue',
  primaryShade: { light: 7, dark: 4 },
  variantColorResolver: filledInTokens,
  fontFamily: 'var(--gv-font)',
  fontFamilyMonospace: 'var(--gv-mono)',
  fontSizes: {
    xs: 'var(--gv-size-note)',
    sm: 'var(--gv-size-text)',
    md: 'var(--gv-size-title)',
    lg: 'var(--gv-size-lead)',
    xl: 'var(--gv-size-page)',
  },
  headings: { fontFamily: 'var(--gv-font)' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
})

const TOKENS = {
  '--mantine-color-body': 'var(--gv-card)',
  '--mantine-color-text': 'var(--gv-text)',
  '--mantine-color-dimmed': 'var(--gv-muted)',
  '--mantine-color-placeholder': 'var(--gv-faint)',
  '--mantine-color-error': 'var(--gv-bad)',
  '--mantine-color-default': 'var(--gv-raised)',
  '--mantine-color-default-hover': 'var(--gv-sunken)',
  '--mantine-color-default-color': 'var(--gv-text)',
  '--mantine-color-default-border': 'var(--gv-control)',
  '--mantine-primary-color-filled': 'var(--gv-accent)',
  '--mantine-primary-color-contrast': 'var(--gv-accent-ink)',
  '--mantine-color-anchor': 'var(--gv-accent)',
}

export const cssVariablesResolver: CSSVariablesResolver = () => ({ variables: {}, light: TOKENS, dark: TOKENS })
