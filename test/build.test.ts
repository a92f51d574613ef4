import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { standIns } from '../build/stand-ins.ts'

/** Bundles a module as if graphql-request had it. */
async function build(code: string): Promise<string> {
  const id = '/graphql-request/entry.js'
  const library = {
    name: 'library',
    resolveId: (source: string) => (source === id ? id : undefined),
    load: () => undefined,
  }
  const entry = { ...library, load: (loaded: string) => (loaded === id ? code : undefined) }
  const bundle = await rolldown({ input: id, platform: 'node', plugins: [standIns('graphql', 'Headers'), entry] })
  return (await bundle.generate({ format: 'cjs' })).output[0].code
}

test('graphql-request gets the stand-ins', async () => {
  const code = await build("import { print } from 'graphql'\nconsole.log(print, new Headers({}))")
  expect(code).toContain('a document is a text here')
  expect(code).toContain('new LightHeaders(')
})

test.each([
  ['graphql', 'console.log(Headers)'],
  ['Headers', "import { print } from 'graphql'\nconsole.log(print)"],
])('the build fails when graphql-request no longer uses %s', async (name, code) => {
  await expect(build(code)).rejects.toThrow(`no longer uses ${name}`)
})
