import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { MEDIA } from './src/lib/breakpoints.ts'

const backend = process.env.GAVEL_DEV_API ?? 'http://127.0.0.1:8080'

// Lists and the overview have columns to choose, which tables of object pages do not.
const LISTS =
  '(domain[\\\\/](lists[\\\\/](ListPage|listColumns|standing|Spark|Standing)|filters[\\\\/](Fil|fields|use))|kit[\\\\/]table[\\\\/](Column|SaveTable|column|useColumn))'
const TABLES = new RegExp(`node_modules[\\\\/]@tanstack[\\\\/]|src[\\\\/](?!${LISTS})kit[\\\\/]table`)
// What stands around a chart comes with charts, which no page needs first.
const CHARTS = '(charts[\\\\/]numbers|kit[\\\\/]chart[\\\\/](Legend|lineWords|NumbersView))'
// Dialogs that open when something is pressed share it; no page needs it first.
const DIALOGS = 'kit[\\\\/]form[\\\\/]FormDialog'
// Panels over time are drawn by charts alone.
const PANELS = 'charts[\\\\/](bands|gaps|hatch|limits|missing|timePanels|tooltip)[.]ts'
// The frame of objects' pages: five pages share it, and no other needs it.
const OBJECTS =
  'domain[\\\\/](cause|diagnosis[\\\\/]Diagnosis|object[\\\\/]ObjectPage|sections[\\\\/](ObjectTabs|registry|section))'

const mantine = (parts: string) => new RegExp(`@mantine[\\\\/]core[\\\\/]esm[\\\\/]components[\\\\/](${parts})[\\\\/]`)

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
        // What both the charts and the frame need (tslib) must not drag the charts into the first load.
        codeSplitting: {
          groups: [
            { name: 'base', test: /node_modules[\\/](react|react-dom|scheduler|tslib)[\\/]/, priority: 5 },
            { name: 'echarts', test: /node_modules[\\/](echarts|zrender)[\\/]/, priority: 4 },
            // What is needed together is one piece: dozens of small ones take longer to ask for than to read. First the frame,
            // then tables, what at least five pages or charts are made of, and last what opens when it is pressed: over any page,
            // and from the frame.
            { name: 'frame', tags: ['$initial'], priority: 3 },
            { name: 'tables', test: TABLES, priority: 2 },
            {
              name: 'common',
              test: new RegExp(`src[\\\\/](?!${OBJECTS}|${LISTS}|${CHARTS}|${DIALOGS}|${PANELS})`),
              minShareCount: 5,
              priority: 1,
            },
            {
              name: 'fields',
              test: mantine('Input|InputBase|InputsGroupFieldset|NativeSelect|TextInput|CloseButton'),
              priority: 1,
            },
            { name: 'panels', test: new RegExp(PANELS) },
            { name: 'objects', test: new RegExp(OBJECTS) },
            { name: 'switches', test: mantine('Switch|InlineInput'), priority: 1 },
            {
              name: 'boxes',
              test: new RegExp(`${mantine('Combobox|Drawer|Modal|ModalBase|Popover|ScrollArea').source}|${DIALOGS}`),
            },
            {
              name: 'frame-boxes',
              test: /src[\\/]app[\\/](Help|Glossary|MenuDrawer|PreferencesBox|SearchHits|SignInDialog|TimeBox)[.]tsx$/,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': { target: backend } } },
})
