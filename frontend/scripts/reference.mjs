// Puts Swagger UI beside the pages, for the API reference that the server makes of its own description. Nothing of it comes from elsewhere.
import { copyFileSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const folder = dirname(require.resolve('swagger-ui-dist/package.json'))
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const assets = fileURLToPath(new URL('../dist/assets/', import.meta.url))

// Assets may be kept for ever: the version in the name makes another file of another version.
copyFileSync(join(folder, 'swagger-ui-bundle.js'), join(assets, `swagger-ui-${version}.js`))
copyFileSync(join(folder, 'swagger-ui.css'), join(assets, `swagger-ui-${version}.css`))
