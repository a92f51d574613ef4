import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockServerOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { curlCommand } from '../../mock-server/pages/assets/snippets.js'
import { type Example, OPERATION_EXAMPLES, REFUSAL_EXAMPLES } from '../../mock-server/pages/console-examples.ts'
import { CREATE, INES, QUIZ, TRACKS } from './calls.ts'

const opened: MockServer[] = []
afterEach(async () => {
  for (const mock of opened.splice(0)) await mock.close()
})

async function listening(options: MockServerOptions = {}) {
  const mock = createMockServer(options)
  opened.push(mock)
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

describe('the examples of the Console, on the documented world', () => {
  /** The headers that the form has for these credentials. */
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

  test.each(OPERATION_EXAMPLES)('$name: is answered with data', async (example) => {
    const { answer } = await run(example)
    expect(answer.errors).toBeUndefined()
    expect(answer.data).toBeTruthy()
  })

  /** Words of the message that each refusal is recognised by. */
  const WORDS: Readonly<Record<string, RegExp>> = {
    'The quiz is not READY': /^The quiz .* is not READY\.$/,
    'The candidate has an attempt in progress': /^The candidate has an attempt in progress/,
    'The candidate holds a valid certification': /^The candidate holds a certification/,
    'Package: a skill is not enabled': /^No invite was created .* is not READY\.$/,
    'Package: the candidate has an attempt in progress': /^No invite was created .* attempt in progress/,
    'Package: the candidate holds a valid certification': /^No invite was created .* holds a certification/,
    'The quiz does not exist': /There is no quiz/,
    'Package: it does not exist': /There is no package/,
    'The e-mail address is not valid': /^candidate\.email is not a valid/,
    'The callback URL does not start with https://': /^callbackUrl has to be/,
    'A callback URL in an admin session': /^callbackUrl can only be set with an API key/,
    'No credentials': /^No credentials/,
    'A key that is not known': /^This API key is not known/,
    'An admin session that is not known': /^This admin session is not known/,
    'The key may not create invites': /CERTIFICATION_INVITE_CREATE/,
    'The key may not list tracks': /CERTIFICATION_PACKAGE_READ/,
    'The document is not GraphQL': /^Syntax Error/,
    'The schema does not have the field': /Cannot query field "colour"/,
    'A variable is missing': /"candidate" of required type/,
    'Two operations, and none is chosen': /^Several operations/,
  }

  test.each(REFUSAL_EXAMPLES)('$name: is refused with $code, and creates nothing', async (example) => {
    const { mock, answer } = await run(example)
    const [error, ...more] = answer.errors ?? []
    expect(more).toEqual([])
    expect(error?.extensions?.code ?? error?.code).toBe(example.code)
    expect(error?.message).toMatch(WORDS[example.name] ?? /no words for this example/)
    expect(mock.invites).toEqual([])
  })

  test('together they use every field of the schema', () => {
    const used = JSON.stringify(OPERATION_EXAMPLES)
    const fields =
      'id name slug packages level description skills quizId skillName durationMinutes enabledLanguages conceptsTested inviteId status challengeUrl expiresAt emailSent packageId packageName invites search trackSlug candidate email sendInviteEmail externalReference callbackUrl'
    expect(fields.split(' ').filter((field) => !new RegExp(`\\b${field}\\b`).test(used))).toEqual([])
  })
})

describe('in a world of your own', () => {
  const quiz = (id: string, level: 'BEGINNER' | 'EXPERT', ready: boolean) => ({
    id,
    skillName: id,
    level,
    ready,
    durationMinutes: 10,
    enabledLanguages: ['en'],
    conceptsTested: ['one'],
  })
  const pack = (id: string, level: 'BEGINNER' | 'EXPERT', quizIds: string[]) => ({
    id,
    name: id,
    level,
    description: id,
    quizIds,
  })
  const own = {
    quizzes: [quiz('quiz_rye', 'BEGINNER', false), quiz('quiz_wheat', 'EXPERT', true)],
    tracks: [
      {
        id: 'track_bread',
        name: 'Bread',
        slug: 'bread',
        packages: [pack('pkg_rye', 'BEGINNER', ['quiz_rye']), pack('pkg_wheat', 'EXPERT', ['quiz_wheat'])],
      },
    ],
  }

  test.each([
    ['/', ['quiz_wheat']],
    ['/connect', ['quiz_wheat']],
    ['/console', ['quiz_wheat', 'pkg_wheat']],
  ])('%s offers texts with %j, which can be delivered', async (path, ids) => {
    const { page } = await listening({ world: own })
    const html = await page(path)
    expect(ids.filter((id) => !html.includes(id))).toEqual([])
    expect(html).not.toMatch(/quiz_react_beginner_state|pkg_react_beginner/)
  })

  test('the first example creates an invite, as it is', async () => {
    const { mock, page, endpoint } = await listening({ world: own })
    const [, variables = ''] = /<textarea name="variables"[^>]*>([^<]*)</.exec(await page('/console')) ?? []
    await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
      body: JSON.stringify({
        query: OPERATION_EXAMPLES[0].query,
        variables: JSON.parse(unescaped(variables)) as object,
      }),
    })
    expect(mock.invites).toMatchObject([{ quizId: 'quiz_wheat' }])
  })
})

describe('the form of the Console', () => {
  test('a request of the log is opened in it with its document, its variables and its credentials', async () => {
    const { mock, endpoint, page } = await listening()
    const body = JSON.stringify({ query: TRACKS, variables: { search: '<sql>' } })
    const headers = { 'content-type': 'application/json' }
    await fetch(endpoint, { method: 'POST', headers: { ...headers, 'x-api-key': mock.apiKeys[1]?.key ?? '' }, body })
    await fetch(endpoint, { method: 'POST', headers: { ...headers, ...mock.adminSession.headers }, body })
    await fetch(endpoint, {
      method: 'POST',
      headers: { ...headers, 'x-api-key': mock.apiKey },
      body: JSON.stringify({ query: `# ${'x'.repeat(20_000)}\n${TRACKS}` }),
    })
    expect(await page('/requests')).toContain('href="/console?request=2"')
    const html = await page('/console?request=1')
    expect(unescaped(html)).toContain(TRACKS)
    expect(unescaped(html)).toContain('"search": "<sql>"')
    expect(html).toMatch(/<option [^>]*selected>key read</)
    expect(await page('/console?request=2')).toMatch(/<option [^>]*selected>admin session</)
    expect(await page('/console?request=3')).toContain(
      'Request 3 cannot be opened here: the log has no whole document of it.',
    )
    expect(await page('/console?request=4')).toContain('The request log has no request 4 any more.')
  })
})

const execute = promisify(execFile)

/** Runs a command by a real shell. */
const sh = async (command: string) => (await execute('sh', ['-c', command])).stdout

describe('copy as curl', () => {
  /** The command for the newest request, with credentials or without, or the reason why there is none. */
  async function copied(page: (path: string) => Promise<string>): Promise<string> {
    const html = await page('/requests')
    const [first = ''] = html.split('<li class="entry">').slice(1)
    const [, request] = /data-request="([^"]*)"/.exec(first) ?? []
    if (request === undefined) return unescaped(/cannot be copied as curl: ([^<]*)/.exec(first)?.[1] ?? '')
    return curlCommand(JSON.parse(unescaped(request)) as Parameters<typeof curlCommand>[0])
  }

  const JSON_TYPE = { 'content-type': 'application/json' }
  const NAME = `O'Hara $(echo no) \`no\` "quoted" \\ 100% !! \n é 漢 🙂`

  const requests: { name: string; init: (mock: MockServer) => RequestInit; path?: string }[] = [
    {
      name: 'a create with a key and a name full of what a shell reads',
      init: ({ apiKey }) => ({
        method: 'POST',
        headers: { ...JSON_TYPE, 'x-api-key': apiKey },
        body: JSON.stringify({
          query: CREATE,
          variables: { input: { quizId: QUIZ, candidate: { ...INES, name: NAME } } },
        }),
      }),
    },
    {
      name: 'an admin session',
      init: ({ adminSession }) => ({
        method: 'POST',
        headers: { ...JSON_TYPE, ...adminSession.headers },
        body: JSON.stringify({ query: TRACKS }),
      }),
    },
    {
      name: 'a key and a session',
      init: ({ apiKey, adminSession }) => ({
        method: 'POST',
        headers: { ...JSON_TYPE, 'x-api-key': apiKey, ...adminSession.headers },
        body: JSON.stringify({ query: TRACKS }),
      }),
    },
    {
      name: 'no credentials',
      init: () => ({ method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ query: TRACKS }) }),
    },
    {
      name: 'a body that is no JSON',
      init: ({ apiKey }) => ({
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'x-api-key': apiKey },
        body: '@/etc/hostname',
      }),
    },
    { name: 'no body', init: ({ apiKey }) => ({ method: 'POST', headers: { 'x-api-key': apiKey } }) },
    {
      name: 'another type of answer',
      init: ({ apiKey }) => ({
        method: 'POST',
        headers: { ...JSON_TYPE, accept: 'application/graphql-response+json', 'x-api-key': apiKey },
        body: '{"query":"{"}',
      }),
    },
    {
      name: 'a type of answer that there is not',
      init: () => ({ method: 'POST', headers: { ...JSON_TYPE, accept: 'text/css' }, body: '{}' }),
    },
    {
      name: 'a query by GET',
      path: '?query={developerCertificationPackageTracks{id}}&x=[1-3]',
      init: ({ apiKey }) => ({ headers: { 'x-api-key': apiKey } }),
    },
    {
      name: 'another method with a body',
      init: ({ apiKey }) => ({ method: 'PUT', headers: { ...JSON_TYPE, 'x-api-key': apiKey }, body: '{}' }),
    },
    { name: 'another method without a body', init: () => ({ method: 'DELETE' }) },
    { name: 'HEAD', init: () => ({ method: 'HEAD' }) },
  ]

  test.each(requests)('asks the same again: $name', async ({ init, path = '' }) => {
    const { mock, endpoint, page } = await listening({
      now: '2030-03-01T09:30:00Z',
      behaviour: { pendingInvite: 'return-existing' },
    })
    await fetch(endpoint + path, init(mock))
    await sh(await copied(page))
    const [first, second, ...more] = mock.requestLog.list()
    expect(more).toEqual([])
    expect({ ...second, number: 1 }).toEqual(first)
  })

  test('in a session it asks that session', async () => {
    const { mock, url, page } = await listening()
    const session = mock.openSession({ id: 'one' })
    const headers = { ...JSON_TYPE, ...session.adminSession.headers }
    await fetch(`${url}/s/one/api/developer/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: TRACKS }),
    })
    await sh(await copied((path) => page(`/s/one${path}`)))
    expect(session.requestLog.list()).toMatchObject([{ status: 200 }, { status: 200, number: 2 }])
    expect(mock.requestLog.list()).toEqual([])
  })

  const refused: { name: string; reason: string; init: (mock: MockServer) => RequestInit }[] = [
    {
      name: 'a key that is not known',
      reason: 'the log does not have its key or session, which is not one of this world',
      init: () => ({ method: 'POST', headers: { ...JSON_TYPE, 'x-api-key': 'ck_other' }, body: '{}' }),
    },
    {
      name: 'a session that is not known',
      reason: 'the log does not have its key or session, which is not one of this world',
      init: ({ apiKey }) => ({
        method: 'POST',
        headers: { ...JSON_TYPE, 'x-api-key': apiKey, authorization: 'Bearer x' },
        body: '{}',
      }),
    },
    {
      name: 'a long body',
      reason: 'the log has only its beginning',
      init: ({ apiKey }) => ({
        method: 'POST',
        headers: { ...JSON_TYPE, 'x-api-key': apiKey },
        body: 'x'.repeat(16_385),
      }),
    },
    {
      name: 'a body that is too large',
      reason: 'the log does not have its body',
      init: () => ({ method: 'POST', headers: JSON_TYPE, body: 'x'.repeat(2 ** 20 + 1) }),
    },
    {
      name: 'a key in the body',
      reason: 'the log does not have the key in its address or body',
      init: ({ apiKey }) => ({
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ query: TRACKS, variables: { search: apiKey } }),
      }),
    },
    {
      name: 'a character that no command can have',
      reason: 'no command can have the character NUL',
      init: () => ({ method: 'POST', headers: JSON_TYPE, body: '{}\0' }),
    },
  ]

  test.each(refused)('says why it cannot: $name', async ({ init, reason }) => {
    const { mock, endpoint, page } = await listening()
    await fetch(endpoint, init(mock))
    expect(await copied(page)).toBe(reason)
  })
})
