import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyClient, isCertifyError } from '../../src/index.ts'

const folder = new URL('../../mock-server/', import.meta.url)
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !['msw.ts', 'vitest.ts'].includes(name))
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))

const examples = sources.flatMap(({ name, text }) =>
  [...text.matchAll(/^( *)\* ```ts\n([\s\S]*?)^ *\* ```$/gm)].map(([, , lines = '']) => ({
    name,
    code: lines.replaceAll(/^ *\* ?/gm, '').trim(),
  })),
)

test('there are examples to run', () => {
  expect(examples.length).toBeGreaterThan(4)
})

test.each(examples)('an example in mock-server/$name runs: $code', async ({ code }) => {
  const scope = await setting()
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2023 } })
  const run = new AsyncFunction(...Object.keys(scope), `{ ${outputText.replace(/^export \{\};$/m, '')} }`)
  await run(...Object.values(scope))
  await scope.mock.close()
})

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<void>

/** What an example may use without creating it, as in a test that has just invited somebody. */
async function setting() {
  const deliver = () => new Response(null, { status: 204 })
  const mock = createMockServer({ now: '2029-06-01T00:00:00Z', callbacks: { deliver } })
  const { baseUrl, apiKey } = mock
  const client = new CertifyClient({ baseUrl, apiKey, fetch: mock.fetch })
  const quizId = 'quiz_react_beginner_state'
  const candidate = { name: 'Inês Duarte', email: 'ines@candidate.test' }
  const callbackUrl = 'https://app.example/hook'
  const invite = await client.invites.create({ quizId, candidate, callbackUrl, sendInviteEmail: false })
  const outage = mock.faults.add({ fault: 503 })
  outage.remove()
  const atOnce = (step: () => unknown): unknown => step()
  const hand = {
    link: invite.challengeUrl,
    prepared: mock.snapshot(),
    outage,
    app: { fetch: () => new Response() },
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: '{"query":"{ __typename }"}',
  }
  const tools = {
    beforeEach: atOnce,
    afterEach: atOnce,
    afterAll: atOnce,
    CertifyClient,
    createMockServer,
    isCertifyError,
  }
  return { mock, client, apiKey, quizId, candidate, invite, ...hand, expect, ...tools }
}
