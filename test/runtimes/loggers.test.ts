import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import ts from 'typescript'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { compile, repository, writeProject } from '../package/consumer.ts'

const consumer = inject('consumer')
const guide = readFileSync(join(repository, 'docs/client-options.md'), 'utf8')
const [, withPino = ''] = /^```ts file=debug-pino\.ts\n([\s\S]*?)^```$/m.exec(guide) ?? []
const withLogger = (imports: string, logger: string) => `import { CertifyClient } from 'certify-sdk'
${imports}
const { CERTIFY_BASE_URL = '', CERTIFY_API_KEY = '' } = process.env
const logger = ${logger}
const client = new CertifyClient({ baseUrl: CERTIFY_BASE_URL, apiKey: CERTIFY_API_KEY, debug: logger })
await client.tracks.list({}, { reference: 'mine-1' })
`

/** Compiles a program strictly, runs it against a mock, and gives its lines on stdout as data. */
async function run(name: string, code: string): Promise<Record<string, unknown>[]> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  })
  const folder = writeProject(consumer, `logger-${name}`, { 'program.ts': code, 'index.mjs': outputText })
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
  expect(compile(consumer, folder, 'program.ts')).toBe('')
  const mock = createMockServer()
  const listener = await mock.listen()
  onTestFinished(() => listener.close())
  const { PATH = '' } = process.env
  const env = { PATH, CERTIFY_BASE_URL: listener.url, CERTIFY_API_KEY: mock.apiKey }
  const child = spawn('node', ['index.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = (await text(child.stdout)).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

const facts = { operation: 'tracks.list', status: 200 }
const line = 'certify-sdk event=end operation=tracks.list reference=mine-1 attempts=1 status=200'

test('the program of the guide logs the facts with pino', async () => {
  expect(await run('guide', withPino)).toMatchObject([
    { level: 20, msg: 'certify-sdk', event: 'attempt', attempt: 1, ...facts },
    { level: 20, msg: 'certify-sdk', event: 'end', attempts: 1, ...facts },
  ])
})

test('a pino is a logger as it is: it logs the lines', async () => {
  const logged = await run('pino', withLogger("import { pino } from 'pino'", "pino({ level: 'debug' })"))
  expect(logged).toMatchObject([{ level: 20 }, { level: 20, msg: expect.stringContaining(line) }])
})

test('a winston is a logger as it is: it logs the lines and the facts', async () => {
  const logger = "winston.createLogger({ level: 'debug', transports: [new winston.transports.Console()] })"
  const logged = await run('winston', withLogger("import winston from 'winston'", logger))
  expect(logged).toMatchObject([
    { level: 'debug', event: 'attempt', ...facts },
    { level: 'debug', message: expect.stringContaining(line), event: 'end', ...facts },
  ])
})
