// @ts-nocheck: the bundlers are installed only in this folder, which the project's type check does not need.
// What importing a package adds to a bundle: everything it exports and needs, minified and compressed.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { judge, note, print } from './table.mjs'

const BOUND = 21_800
/* A virtual file in this folder, so that the bundler finds the packages that are installed here. */
const ENTRY = `${import.meta.dirname}/entry.mjs`
const SDK = '../dist/index.js'
const names = [SDK, 'graphql-request', '@urql/core', '@octokit/graphql', '@apollo/client']

const rows = await Promise.all(
  names.map(async (name) => ({ name, byRolldown: await sizeByRolldown(name), byEsbuild: await sizeByEsbuild(name) })),
)
print(
  'Minified and compressed by gzip -9',
  ['', 'rolldown', 'gzip', 'esbuild', 'gzip'],
  rows.map(({ name, byRolldown, byEsbuild }) => [
    name === SDK ? 'certify-sdk' : name,
    ...[...byRolldown, ...byEsbuild].map((n) => n.toLocaleString('en')),
  ]),
)
console.log()
const [own, ...others] = rows
judge('certify-sdk, bundled, minified and gzipped', own?.byRolldown[1] ?? Number.NaN, BOUND, 'bytes')
for (const { name, byRolldown } of others) note(name, byRolldown[1], 'bytes')

/** @param {string} name */
async function sizeByRolldown(name) {
  const bundle = await rolldown({
    input: ENTRY,
    cwd: import.meta.dirname,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (source) => (source === ENTRY ? source : undefined),
        load: (id) => (id === ENTRY ? `export * from ${JSON.stringify(name)}` : undefined),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  return sizes(output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join(''))
}

/** @param {string} name */
async function sizeByEsbuild(name) {
  const stdin = { contents: `export * from ${JSON.stringify(name)}`, resolveDir: import.meta.dirname }
  const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: 'esm', write: false })
  return sizes(outputFiles.map(({ text }) => text).join(''))
}

/** @param {string} code */
function sizes(code) {
  return [Buffer.byteLength(code), gzipSync(code, { level: 9 }).length]
}
