// Builds dist/ from scratch: `node build/build.mjs`; or only the command line: `node build/build.mjs cli`.
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { loadConfig } from 'rolldown/config'

const isCli = process.argv[2] === 'cli'
console.error(`Building ${isCli ? 'the command line' : 'the package'} …`)
rmSync(isCli ? 'dist/bin' : 'dist', { recursive: true, force: true })
/** @type {unknown} */
const loaded = await loadConfig('rolldown.config.ts')
const bundles = /** @type {import('rolldown').RolldownOptions[]} */ (loaded)
for (const { output, ...input } of bundles) {
  if (isCli && !('certify' in Object(input.input))) continue
  const bundle = await rolldown(input)
  for (const options of [output ?? {}].flat()) await bundle.write(options)
  await bundle.close()
}

/* The program's own help, made once instead of at every start. */
writeFileSync('dist/bin/help.txt', execFileSync(process.execPath, ['dist/bin/certify.cjs', '--help']))

if (!isCli) {
  copyFileSync('mock-server/schema.graphql', 'dist/schema.graphql')
  /* The control API for clients in other languages, and the schema of a world for editors: the mock's own documents. */
  /** @type {typeof import('../mock-server/index.ts')} */
  const { createMockServer } = await import(new URL('../dist/mock/index.js', import.meta.url).href)
  const mock = createMockServer({ baseUrl: 'http://127.0.0.1:4010' })
  for (const name of ['openapi.json', 'world.schema.json']) {
    const response = await mock.fetch(`${mock.baseUrl}/__mock/${name}`)
    writeFileSync(`dist/${name}`, await response.text())
  }
}
