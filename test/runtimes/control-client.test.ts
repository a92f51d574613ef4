import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { answerOf, type Document, operationsOf, schemaIn } from '../mock-server/control-document.ts'
import { compile, runIn, writeProject } from '../package/consumer.ts'
import { install, installed } from './installed.ts'

/* The OpenAPI document in the package, as a linter and a generated client use it. */

const consumer = inject('consumer')
const published = join(consumer, 'node_modules/certify-sdk/dist/openapi.json')
const document = JSON.parse(readFileSync(published, 'utf8')) as Document

test('the package has the OpenAPI document of the control API, with the default address of a mock', () => {
  const folder = writeProject(consumer, 'control-file', {
    'index.cjs': "console.log(require('certify-sdk/openapi.json').servers.map(({ url }) => url).join('\\n'))",
  })
  expect(runIn(folder, 'node', ['index.cjs']).stdout).toBe(
    'http://127.0.0.1:4010/__mock\nhttp://127.0.0.1:4010/s/{sessionId}/__mock\n',
  )
})

test('a linter finds no problems in the document', () => {
  install('@redocly/openapi-core')
  const folder = writeProject(consumer, 'control-lint', {
    'index.mjs': `import openapi from '@redocly/openapi-core'
const config = await openapi.createConfig({ extends: ['recommended-strict'] })
const problems = await openapi.lint({ ref: process.argv[2], config })
for (const { ruleId, message, location } of problems) console.log(ruleId, message, location[0].pointer)
console.log('linted')`,
  })
  expect(runIn(folder, 'node', ['index.mjs', published])).toEqual({ status: 0, stdout: 'linted\n', stderr: '' })
})

const program = `import createClient from 'openapi-fetch'
import type { paths } from './control-api'

const [url = '', key = ''] = process.argv.slice(2)
const mock = createClient<paths>({ baseUrl: url + '/__mock' })
mock.use({
  async onResponse({ request, response, schemaPath }) {
    const body = schemaPath === '/events' ? '' : await response.clone().text()
    console.log(JSON.stringify({ way: request.method + ' ' + schemaPath, status: response.status, body }))
  },
})

async function invited(email: string): Promise<string> {
  const query = 'mutation ($input: DeveloperCreateCertificationInviteInput!) { developerCreateCertificationInvite(input: $input) { inviteId } }'
  const input = { quizId: 'quiz_react_beginner_state', candidate: { email }, callbackUrl: 'https://app.example/hook' }
  await fetch(url + '/api/developer/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query, variables: { input } }),
  })
  const mail = await mock.GET('/outbox/wait', { params: { query: { to: email } } })
  return mail.data?.inviteId ?? ''
}

const invite = async (email: string) => ({ params: { path: { inviteId: await invited(email) } } })
const quizId = 'quiz_react_beginner_state'

await mock.GET('/health')
await mock.GET('/world')
await mock.GET('/keys')
await mock.GET('/tracks')
await mock.GET('/quizzes')
const events = await mock.GET('/events', { parseAs: 'stream' })
await events.data?.cancel()

await mock.GET('/clock')
await mock.PUT('/clock', { body: { frozen: true } })
await mock.POST('/clock/advance', { body: { by: '1h' } })

const ada = await invite('ada@example.com')
await mock.POST('/invites/{inviteId}/start', { ...ada, body: {} })
await mock.POST('/invites/{inviteId}/fail', { ...ada, body: {} })
const { data: failed } = await mock.GET('/invites/{inviteId}', ada)
if (failed?.offer) await mock.POST('/invites/{inviteId}/claim', { ...ada, body: { kind: failed.offer } })
await mock.POST('/invites/{inviteId}/pass', { ...(await invite('grace@example.com')), body: {} })
await mock.POST('/invites/{inviteId}/abandon', { ...(await invite('alan@example.com')), body: {} })
await mock.GET('/invites', { params: { query: { status: 'PASSED', search: 'grace', limit: 10, page: 1 } } })
await mock.GET('/outbox', { params: { query: { to: 'ada' } } })

const edsger = { params: { path: { email: 'edsger@example.com' } } }
await mock.POST('/candidates/{email}/start-attempt', { ...edsger, body: { quizId } })
await mock.POST('/candidates/{email}/certify', { params: { path: { email: 'barbara@example.com' } }, body: { quizId } })
await mock.GET('/candidates/{email}', edsger)
await mock.POST('/quizzes/{quizId}/disable', { params: { path: { quizId } }, body: {} })
await mock.POST('/quizzes/{quizId}/enable', { params: { path: { quizId } }, body: {} })

const wait = { type: 'certification.completed', email: 'ada@example.com', status: 'delivered' } as const
const { data: callback } = await mock.GET('/callbacks/wait', { params: { query: wait } })
await mock.POST('/callbacks/pause', { body: {} })
await mock.POST('/callbacks/{eventId}/redeliver', { params: { path: { eventId: callback?.id ?? '' } }, body: {} })
await mock.POST('/callbacks/redeliver', { body: {} })
await mock.POST('/callbacks/resume', { body: {} })
await mock.POST('/callbacks/test', { body: { callbackUrl: 'https://app.example/hook' } })
await mock.POST('/settle', { body: {} })
await mock.GET('/callbacks')
await mock.GET('/callbacks/targets')
await mock.PATCH('/callbacks/targets', { body: { deliverTo: 'http://localhost:3000' } })

const { data: rule } = await mock.POST('/faults', { body: { phase: 'after', fault: 'cut', times: 2 } })
await mock.GET('/faults')
await mock.DELETE('/faults/{faultId}', { params: { path: { faultId: rule?.id ?? '' } } })
await mock.DELETE('/faults')
await mock.GET('/requests', { params: { query: { limit: 1 } } })
await mock.DELETE('/requests')

await mock.POST('/sessions', { body: { id: 'worker-1' } })
const session = createClient<paths>({ baseUrl: url + '/s/worker-1/__mock' })
const { data: health } = await session.GET('/health')
if (health?.invites !== 0) throw new Error('The session has a world of its own.')
await mock.GET('/sessions')
await mock.DELETE('/sessions/{sessionId}', { params: { path: { sessionId: 'worker-1' } } })

const { data: state } = await mock.GET('/state')
if (state) await mock.PUT('/state', { body: state })
await mock.POST('/reset', { body: {} })

const created = await mock.POST('/invites', { body: { quizId, candidate: { email: 'created@example.com' } } })
if (created.data?.invites.length !== 1) throw new Error('One invite for one quiz.')

const candidates = [{ email: 'ada@example.com', certifications: [{ quizId }] }]
await mock.PUT('/world', { body: { candidates, behaviour: { candidateName: 'required' } } })
await mock.GET('/world.schema.json')
const { data: switches } = await mock.GET('/behaviour')
if (switches?.candidateName !== 'required') throw new Error('The world sets its switches.')
await mock.PATCH('/behaviour', { body: { candidateName: 'optional' } })

const { error } = await mock.GET('/callbacks/wait', { params: { query: { timeoutMs: 0 } } })
if (error?.error.code !== 'NO_CALLBACK') throw new Error('An error has a code that the compiler knows.')
const { error: wrong } = await mock.PUT('/world', { body: { candidates: [{ email: 'ada' }] } })
if (wrong?.error.code !== 'BAD_REQUEST' || wrong.error.problems?.[0]?.path !== 'candidates[0].email') {
  throw new Error('The problems of a world have a type.')
}
// @ts-expect-error a setting that no switch has
void (() => mock.PATCH('/behaviour', { body: { pendingInvite: 'forbid' } }))
// @ts-expect-error a parameter that there is not
void (() => mock.GET('/outbox/wait', { params: { query: { timeout: 5 } } }))
// @ts-expect-error a status that no callback has
void (() => mock.GET('/callbacks/wait', { params: { query: { status: 'sent' } } }))
`

interface Answered {
  readonly way: string
  readonly status: number
  readonly body: string
}

test('a generated client calls every operation, and every response matches the document', async () => {
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) install(name)
  const folder = writeProject(consumer, 'control-client', { 'drive.ts': program, 'package.json': '{"type":"module"}' })
  const generated = runIn(folder, 'node', [
    installed('openapi-typescript/bin/cli.js'),
    published,
    '-o',
    'control-api.ts',
  ])
  expect(generated.status).toBe(0)
  expect(compile(consumer, folder, ['drive.ts'])).toBe('')

  const {
    ModuleKind: { ESNext: module },
    ScriptTarget: { ES2022: target },
  } = ts
  writeFileSync(
    join(folder, 'drive.js'),
    ts.transpileModule(program, { compilerOptions: { module, target } }).outputText,
  )
  const mock = createMockServer({ callbacks: { deliver: () => new Response() } })
  onTestFinished(() => mock.close())
  const { url } = await mock.listen()
  const { stdout } = await promisify(execFile)('node', ['drive.js', url, mock.apiKey], { cwd: folder })
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answered)

  expect(answers.filter(({ status }) => status >= 400).map(({ way, status }) => [way, status])).toEqual([
    ['GET /callbacks/wait', 504],
    ['PUT /world', 400],
  ])
  const operations = operationsOf(document)
  expect(operations.map(({ way }) => way).filter((way) => answers.every((answer) => answer.way !== way))).toEqual([])
  const isAsDescribed = ({ way, status, body }: Answered): boolean => {
    const operation = operations.find((each) => each.way === way)
    const schema = operation && answerOf(document, operation, status)?.content?.['application/json']?.schema
    if (schema === undefined || body === '') return schema === undefined && body === ''
    return schemaIn(document, schema).safeParse(JSON.parse(body)).success
  }
  expect(answers.filter((answer) => !isAsDescribed(answer))).toEqual([])
})
