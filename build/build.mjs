// Builds dist/ from scratch, and prints nothing unless something is wrong.
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
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

/* The control API for clients in other languages: the mock's own document, at its usual address. */
/** @type {import('../mock-server/index.ts')} */
const { createMockServer } = await import(new URL('../dist/mock/index.js', import.meta.url).href)
const mock = createMockServer({ baseUrl: 'http://127.0.0.1:4010' })
const response = await mock.fetch(`${mock.baseUrl}/__mock/openapi.json`)
writeFileSync('dist/openapi.json', await response.text())

/* The program's own help, made once instead of at every start. */
writeFileSync('dist/bin/help.txt', execFileSync(process.execPath, ['dist/bin/certify.cjs', '--help']))

/* The schema of a world, for editors. */
const worldSchema = await mock.fetch(`${mock.baseUrl}/__mock/world.schema.json`)
writeFileSync('dist/world.schema.json', await worldSchema.text())
