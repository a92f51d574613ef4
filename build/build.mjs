// Builds dist/ anew, and says nothing unless something is wrong.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { loadConfig } from 'rolldown/config'

rmSync('dist', { recursive: true, force: true })
/** @type {unknown} */
const loaded = await loadConfig('rolldown.config.ts')
const bundles = /** @type {import('rolldown').RolldownOptions[]} */ (loaded)
for (const { output, ...input } of bundles) {
  const bundle = await rolldown(input)
  for (const options of [output ?? {}].flat()) await bundle.write(options)
  await bundle.close()
}

copyFileSync('mock-server/schema.graphql', 'dist/schema.graphql')

/* The control API for clients in other languages: the document of the mock itself, at its usual address. */
/** @type {import('../mock-server/index.ts')} */
const { createMockServer } = await import(new URL('../dist/mock/index.js', import.meta.url).href)
const mock = createMockServer({ baseUrl: 'http://127.0.0.1:4010' })
const response = await mock.fetch(`${mock.baseUrl}/__mock/openapi.json`)
writeFileSync('dist/openapi.json', await response.text())

/* The program's own help, so that its start need not make it. */
writeFileSync('dist/bin/help.txt', execFileSync(process.execPath, ['dist/bin/certify.cjs', '--help']))

/* The schema of a world, for editors. */
const worldSchema = execFileSync(process.execPath, ['dist/bin/certify.cjs', 'mock', 'init', '--schema'])
writeFileSync('dist/world.schema.json', worldSchema)

/* The manual pages, compressed as the system's own: npm links those that package.json names, for a global install. */
const pages = await rolldown({ input: 'build/man-pages.ts', platform: 'node', logLevel: 'silent' })
await pages.write({ file: 'dist/man-pages.mjs' })
await pages.close()
/** @type {import('./man-pages.ts')} */
const { manPages } = await import(new URL('../dist/man-pages.mjs', import.meta.url).href)
rmSync('dist/man-pages.mjs')
/** @type {import('../bin/help/describe-commands.ts').CommandDescriptions} */
const tree = JSON.parse(
  execFileSync(process.execPath, ['dist/bin/certify.cjs', 'commands', '--json'], { encoding: 'utf8' }),
)
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
mkdirSync('dist/man')
for (const { file, text } of manPages(tree, version)) writeFileSync(`dist/man/${file}.gz`, gzipSync(text, { level: 9 }))
