/**
 * One rule that Biome does not have: no ref is read or written while a component is drawn. A drawing that React gives up would
 * leave it changed, and one that is not begun anew would not show it. ESLint reads TypeScript through the compiler of this package.
 *
 * The rule compiles each component, which takes 18 of 21 s of all sources. Only sources that name a ref can break it.
 */

import { readdirSync, readFileSync } from 'node:fs'
import parser from '@typescript-eslint/parser'
import hooks from 'eslint-plugin-react-hooks'

const NAMES_REF = /useRef|RefObject|createRef|\.current\b|\b[a-z]+Ref\b|\bref=/

const files = readdirSync('src', { recursive: true })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((name) => /(?<![.]test)[.]tsx?$/.test(name) && NAMES_REF.test(readFileSync(name, 'utf8')))

export default [
  {
    files,
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: { parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    plugins: { 'react-hooks': hooks },
    rules: { 'react-hooks/refs': 'error' },
  },
]
