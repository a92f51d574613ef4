import { strictEqual } from 'node:assert'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Browser, Locator } from 'playwright-core'
import ts from 'typescript'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { listenInTest } from '../listen.ts'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { CREATE, QUIZ } from '../mock-server/calls.ts'
import { startBrowser } from './visit.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/testing.md'), 'utf8')
const [, recipe = ''] = /^```ts file=\S*certified\.spec\.ts[^\n]*\n([\s\S]*?)^```$/m.exec(guide) ?? []

let browser: Browser

beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

test('the Playwright recipe passes against an application that invites and receives callbacks', async () => {
  const mock = createMockServer()
  const service = await mock.listen()
  const application = await startApplication(mock, service.endpoint)
  const context = await browser.newContext({ baseURL: application })
  onTestFinished(async () => {
    await context.close()
    await mock.close()
  })
  mock.callbacks.deliverTo(application)
  const page = await context.newPage()
  const run = await whole(recipe, service.url)
  await run({ page, request: context.request })
  expect(mock.invites).toMatchObject([{ candidate: { email: 'ada@example.com' }, status: 'PASSED' }])
})

type Recipe = (fixtures: object) => Promise<void>

/* The recipe with stand-ins for its imports: Playwright's runner is not a dependency of this project. */
async function whole(code: string, url: string): Promise<Recipe> {
  const [imported = '', ...rest] = code.split('\n')
  expect(imported).toBe("import { expect, test } from '@playwright/test'")
  const program = ts.transpileModule(rest.join('\n'), {
    compilerOptions: { target: ts.ScriptTarget.ES2022 },
  }).outputText
  let found: Recipe | undefined
  const its = {
    test: (_title: string, run: Recipe) => (found = run),
    expect: (seen: unknown) => ({
      toBe: (wanted: unknown) => strictEqual(seen, wanted),
      toBeVisible: () => (seen as Locator).waitFor(),
    }),
    process: { env: { CERTIFY_BASE_URL: url } },
  }
  await new AsyncFunction(...Object.keys(its), program.replace(/^export \{\};?$/m, ''))(...Object.values(its))
  if (!found) throw new Error('The recipe has no test.')
  return found
}

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<void>

/** An application: it invites the address in its form, and shows the results from the callbacks. */
async function startApplication(mock: MockServer, endpoint: string): Promise<string> {
  const results = new Map<string, string>()
  const receive = (event: string): void => {
    const { data } = JSON.parse(event) as { data: { inviteId: string; result: string } }
    const email = mock.invites.find(({ inviteId }) => inviteId === data.inviteId)?.candidate.email ?? ''
    results.set(email, data.result)
  }
  const invite = async (form: string): Promise<void> => {
    const email = new URLSearchParams(form).get('email')
    const input = { quizId: QUIZ, candidate: { email }, callbackUrl: 'https://app.example/hook' }
    const headers = { 'content-type': 'application/json', 'x-api-key': mock.apiKey }
    await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify({ query: CREATE, variables: { input } }) })
  }
  const answer = async (request: IncomingMessage): Promise<string> => {
    const text = await textOf(request)
    if (request.url === '/hook') receive(text)
    else if (request.method === 'POST') await invite(text)
    const shown = [...results].map(([email, result]) => `<p>${email}: ${result}</p>`).join('')
    return `<form method="post"><label>E-mail <input name="email"></label><button>Invite</button></form>${shown}`
  }
  const server = createServer((request, response) => {
    const html = { 'content-type': 'text/html' }
    void answer(request).then((page) => response.writeHead(200, html).end(page))
  })
  return `http://127.0.0.1:${await listenInTest(server)}`
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
