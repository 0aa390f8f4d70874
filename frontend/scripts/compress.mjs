// Puts a gzip beside every text asset, once and as small as it gets, so that the server need not do it for each reader.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const assets = fileURLToPath(new URL('../dist/assets/', import.meta.url))

for (const name of readdirSync(assets).filter((name) => /\.(js|css)$/.test(name))) {
  writeFileSync(join(assets, `${name}.gz`), gzipSync(readFileSync(join(assets, name)), { level: 9 }))
}
