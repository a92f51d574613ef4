import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { moduleAliases, type StandIn } from '../build/module-aliases.ts'

const importing = (source: string) => ({
  name: 'entry',
  resolveId: (id: string) => (id === 'entry' ? join(import.meta.dirname, 'entry.js') : undefined),
  load: (id: string) => (id.endsWith('entry.js') ? `import * as it from '${source}'\nconsole.log(it)` : undefined),
})

async function build(source: string, list: readonly StandIn[]): Promise<string> {
  const bundle = await rolldown({ input: 'entry', platform: 'node', plugins: [moduleAliases(list), importing(source)] })
  return (await bundle.generate({ format: 'cjs' })).output[0].code
}

const standIn = { of: 'node:child_process', importer: /\/test\/entry\.js$/, by: 'build/no-child-process.ts' }

test('a module of the build stands in for another where its importer asks for that one', async () => {
  expect(await build('node:child_process', [standIn])).not.toContain('require("node:child_process")')
  expect(await build('node:child_process', [])).toContain('require("node:child_process")')
})

test.each([
  ['what it replaces is not imported', standIn, 'node:os'],
  ['another module imports it', { ...standIn, importer: /commander/ }, 'node:child_process'],
])('the build fails where a stand-in no longer applies: %s', async (_case, list, source) => {
  await expect(build(source, [list])).rejects.toThrow(`${list.of} is imported by no`)
})
