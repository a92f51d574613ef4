// Bundles the playground for browsers from the published files. What only Node.js has is empty: nothing calls it there.
import { copyFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'rolldown'
import { repository } from './repository.mjs'

const sources = join(import.meta.dirname, 'playground')
const published = (/** @type {string} */ path) => join(repository, 'dist', path)
const stub = join(sources, 'node-stub.cjs')

/** @param {string} folder of the files, as they are served */
export async function writePlayground(folder) {
  await build({
    input: {
      playground: join(sources, 'playground.js'),
      worker: join(sources, 'worker.js'),
      sdk: published('index.js'),
      ledger: join(sources, 'ledger.js'),
    },
    platform: 'browser',
    /* A program is shown, not bundled. */
    moduleTypes: { '.mjs': 'text' },
    plugins: [{ name: 'no-node', resolveId: { filter: { id: /^(node:.*|fs|path|crypto)$/ }, handler: () => stub } }],
    resolve: {
      alias: {
        'certify-sdk/ledger': published('ledger/index.js'),
        'certify-sdk/mock': published('mock/index.js'),
      },
    },
    logLevel: 'warn',
    preserveEntrySignatures: 'exports-only',
    output: { dir: folder, minify: true, entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
  })
  const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm-browser.wasm')
  copyFileSync(wasm, join(folder, 'sql-wasm.wasm'))
}
