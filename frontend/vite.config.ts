import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const backend = process.env.GAVEL_DEV_API ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react()],
  // The server puts a fresh nonce in place of this word in every index.html it sends.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2023',
    // Inlined assets would be data: URLs, which the content security policy refuses for fonts and styles.
    assetsInlineLimit: 0,
    manifest: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // What both the charts and the frame need (tslib) must not drag the charts into the first load.
        codeSplitting: {
          groups: [
            { name: 'base', test: /node_modules[\\/](react|react-dom|scheduler|tslib)[\\/]/, priority: 4 },
            { name: 'echarts', test: /node_modules[\\/](echarts|zrender)[\\/]/, priority: 3 },
            // One piece for the frame and one for what pages are made of: dozens of small ones take longer to ask for than to read.
            { name: 'frame', tags: ['$initial'], priority: 2 },
            {
              name: 'parts',
              test: /src[\\/](charts|components[\\/](verdict|entity|table|chart[\\/](?!Canvas|drawing|echarts|fitLabels)))/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': { target: backend } } },
  test: {
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/testing/setup.ts'],
    restoreMocks: true,
    css: { include: [/tokens\.css/] },
    env: { TZ: 'UTC' },
  },
})
