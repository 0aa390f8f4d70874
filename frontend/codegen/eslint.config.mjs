/**
 * One rule that Biome does not have: no ref is read or written while a component is drawn. A drawing that React gives up would
 * leave it changed, and one that is not begun anew would not show it. ESLint reads TypeScript through the compiler of this package.
 */

import parser from '@typescript-eslint/parser'
import hooks from 'eslint-plugin-react-hooks'

export default [
  {
    files: ['src/**/*.{ts,tsx}'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: { parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    plugins: { 'react-hooks': hooks },
    rules: { 'react-hooks/refs': 'error' },
  },
]
