import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockServerOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { curlCommand } from '../../mock-server/pages/assets/snippets.js'
import { type Example, OPERATION_EXAMPLES, REFUSAL_EXAMPLES } from '../../mock-server/pages/console-examples.ts'
import { CREATE, INES, QUIZ, TRACKS } from './calls.ts'

async function listening(options: MockServerOptions = {}) {
  const mock = createMockServer(options)
  onTestFinished(() => mock.close())
  const { url, endpoint } = await mock.listen()
  const page = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).text()
  return { mock, url, endpoint, page }
}

function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = {
    '&#39;': "'",
    '&quot;': '"',
    '&lt;': '<',
    '&gt;': '>',
    '&amp;': '&',
  }
  return text.replaceAll(/&(#39|quot|lt|gt|amp);/g, (entity) => characters[entity] ?? entity)
}

describe('the examples of the Console, in the default world', () => {
  /** The headers that the form sends for these credentials. */
  function headersFor(page: string, credentials: string): Record<string, string> {
    const [, headers] = new RegExp(`<option data-headers="([^"]*)"[^>]*>${credentials}</option>`).exec(page) ?? []
    if (headers === undefined) throw new Error(`no credentials ${credentials}`)
    return JSON.parse(unescaped(headers)) as Record<string, string>
  }

  async function run({ query, variables, credentials }: Example) {
    const mock = createMockServer()
    const page = await (await mock.fetch(`${mock.baseUrl}/console`)).text()
    const response = await mock.fetch(mock.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headersFor(page, credentials) },
      body: JSON.stringify({ query, variables }),
    })
    return {
      mock,
      answer: (await response.json()) as {
        data?: unknown
        errors?: { code?: string; message: string; extensions?: { code?: string } }[]
      },
    }
  }

  test.each(OPERATION_EXAMPLES)('$name: returns data', async (example) => {
    const { answer } = await run(example)
    expect(answer.errors).toBeUndefined()
    expect(answer.data).toBeTruthy()
  })

  test.each(REFUSAL_EXAMPLES)('$name: is refused with $code, and creates nothing', async (example) => {
    const { mock, answer } = await run(example)
    expect(answer.errors?.map(({ code, extensions }) => extensions?.code ?? code)).toEqual([example.code])
    expect(mock.invites).toEqual([])
  })

  test('together they use every field of the schema', () => {
    const used = JSON.stringify(OPERATION_EXAMPLES)
    const fields =
      'id name slug packages level description skills quizId skillName durationMinutes enabledLanguages conceptsTested inviteId status challengeUrl expiresAt emailSent packageId packageName invites search trackSlug candidate email sendInviteEmail externalReference callbackUrl'
    expect(fields.split(' ').filter((field) => !new RegExp(`\\b${field}\\b`).test(used))).toEqual([])
  })
})

test.each(['/connect', '/console'])('%s shows examples with a READY quiz and a deliverable package', async (path) => {
  const { mock, page } = await listening()
  mock.disableQuiz(QUIZ)
  const html = await page(path)
  expect(html).toMatch(/&quot;quiz_\w+&quot;/)
  expect(html).not.toMatch(/quiz_react_beginner_state|pkg_react_beginner\b/)
})

const execute = promisify(execFile)

/** Runs a command in a real shell. */
const sh = async (command: string) => (await execute('sh', ['-c', command])).stdout

describe('copy as curl', () => {
  /** The command for the newest request, or `null` if there is none. */
  async function copied(page: (path: string) => Promise<string>): Promise<string | null> {
    const [, request] = /data-request="([^"]*)"/.exec(await page('/requests')) ?? []
    if (request === undefined) return null
    return curlCommand(JSON.parse(unescaped(request)) as Parameters<typeof curlCommand>[0])
  }

  const JSON_TYPE = { 'content-type': 'application/json' }
  const NAME = `O'Hara $(echo no) \`no\` "quoted" \\ 100% !! \n é 漢 🙂`
  const CREATED = { query: CREATE, variables: { input: { quizId: QUIZ, candidate: { ...INES, name: NAME } } } }

  test.each([
    ['a key, and a name full of what a shell reads', ({ apiKey }: MockServer) => ({ 'x-api-key': apiKey }), CREATED],
    ['an admin session', ({ adminSession }: MockServer) => adminSession.headers, { query: TRACKS }],
  ] as const)('repeats the same request, in a session too: %s', async (_what, credentials, body) => {
    const { mock, url, page } = await listening({
      now: '2030-03-01T09:30:00Z',
      behaviour: { pendingInvite: 'return-existing' },
    })
    for (const [world, path] of [[mock, ''] as const, [mock.openSession({ id: 'one' }), '/s/one'] as const]) {
      const headers = { ...JSON_TYPE, ...credentials(world) }
      await fetch(`${url}${path}/api/developer/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })
      await sh((await copied((at) => page(path + at))) ?? '')
      const [first, second, ...more] = world.requestLog.list()
      expect(more).toEqual([])
      expect({ ...second, number: 1, createdInviteIds: first?.createdInviteIds, headers: {} }).toEqual({
        ...first,
        headers: {},
      })
    }
  })

  test.each([
    ['a key that is not known', () => ({ 'x-api-key': 'ck_other' }), JSON.stringify({ query: TRACKS })],
    [
      'a long body',
      ({ apiKey }: MockServer) => ({ 'x-api-key': apiKey }),
      JSON.stringify({ query: `# ${'x'.repeat(16_385)}\n${TRACKS}` }),
    ],
  ] as const)('is not offered if the log lacks part of the request: %s', async (_what, credentials, body) => {
    const { mock, endpoint, page } = await listening()
    await fetch(endpoint, { method: 'POST', headers: { ...JSON_TYPE, ...credentials(mock) }, body })
    expect(await copied(page)).toBeNull()
  })

  test('is not offered for a body with a key in it, which is hidden', async () => {
    const { mock, endpoint, page } = await listening()
    const body = JSON.stringify({ query: TRACKS, variables: { search: mock.apiKey } })
    await fetch(endpoint, { method: 'POST', headers: { ...JSON_TYPE, 'x-api-key': mock.apiKey }, body })
    expect(await copied(page)).toBeNull()
  })
})
