import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { chunkGroups } from './chunks.ts'
import { MEDIA } from './src/lib/breakpoints.ts'

// The bundler names modules by their real paths: a checkout behind a symbolic link has another.
const ROOT = realpathSync(fileURLToPath(new URL('.', import.meta.url)))
const backend = process.env.GAVEL_DEV_API ?? 'http://127.0.0.1:8080'

/** `@media (--phone)`, as custom media queries are written, from the one list that scripts use too. */
const namedMedia = {
  postcssPlugin: 'named-media',
  AtRule: {
    media(rule: { params: string; error: (message: string) => Error }) {
      rule.params = rule.params.replace(/\((--[\w-]+)\)/g, (_, name: string) => {
        if (!(name in MEDIA)) throw rule.error(`There is no media query ${name}: src/lib/breakpoints.ts has them.`)
        return MEDIA[name as keyof typeof MEDIA]
      })
    },
  },
}

export default defineConfig({
  plugins: [react()],
  css: { postcss: { plugins: [namedMedia] } },
  // Files name one another relative to themselves: a reverse proxy may serve Gavel below a path of its own.
  base: './',
  // The server puts a fresh nonce in place of this word in every index.html it sends.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2023',
    // Inlined assets would be data: URLs, which the content security policy refuses for fonts and styles.
    assetsInlineLimit: 0,
    manifest: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // Words of copy/ stand where they are used: a page loads its own, and no area's words as a whole.
      optimization: { inlineConst: { mode: 'all', pass: 2 } },
      output: {
        codeSplitting: { groups: chunkGroups(ROOT) },
      },
    },
  },
  server: { proxy: { '/api': { target: backend } } },
})
