import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClientError, GraphQLClient } from 'graphql-request'
import { expect, test } from 'vitest'
import { CertifyClient } from '../src/index.ts'
import { json, startServer, text } from './src/http-server.ts'

/* What the table of the README says of other ways to send a create, tried with the version that this project has. */
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
const manifest = JSON.parse(
  readFileSync(join(import.meta.dirname, '../node_modules/graphql-request/package.json'), 'utf8'),
) as { version: string; peerDependencies: object }
const own: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))

/* The cells of a row of the table: a test states what it proves. */
const rowOf = (subject: string) =>
  readme
    .split('\n')
    .find((line) => line.startsWith(`| ${subject} |`))
    ?.split(' | ')
    .slice(1)
    .map((cell) => cell.replace(/ \|$/, ''))

const document = 'mutation Create($input: Input!) { developerCreateCertificationInvite(input: $input) { inviteId } }'
const input = { quizId: 'quiz_1', candidate: { email: 'ada@example.com' } }
const refusal = json({ data: null, errors: [{ message: 'no', extensions: { code: 'BAD_USER_INPUT' } }] })

/* One create to an address, in each of the three ways. */
const byFetch = (url: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': 'ck_1', 'content-type': 'application/json' },
    body: JSON.stringify({ query: document, variables: { input } }),
  })
const byGraphqlRequest = (url: string, options = {}) =>
  new GraphQLClient(url, { headers: { 'x-api-key': 'ck_1' }, ...options }).request(document, { input })
const byCertify = (url: string) => new CertifyClient({ baseUrl: url, apiKey: 'ck_1' }).invites.create(input)

test('the README compares with this major of graphql-request, which needs graphql beside it', () => {
  expect(readme).toContain(`| graphql-request ${manifest.version.split('.')[0]} |`)
  expect(Object.keys(manifest.peerDependencies)).toEqual(['graphql'])
  expect(rowOf('To install')).toEqual(['nothing', 'itself and `graphql`', 'itself; no dependencies'])
  expect(own).not.toHaveProperty('dependencies')
})

test('the time limits of a call are those of the README', () => {
  const { timeoutMs, deadlineMs } = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'ck_1' }).limits
  expect(rowOf('Time limit')).toEqual([
    'none in the Fetch standard: pass a `signal`',
    'the same',
    `${timeoutMs / 1000} s for an attempt, ${deadlineMs / 1000} s for a call`,
  ])
})

test('fetch and graphql-request follow a redirect to another host with x-api-key, unless redirect is set; this client refuses', async () => {
  const followed = 'followed, with `x-api-key`, unless you set `redirect`'
  expect(rowOf('A redirect to another host')).toEqual([followed, 'the same', 'refused'])
  const other = await startServer(refusal)
  const server = await startServer((response) => response.writeHead(307, { location: other.url }).end())
  await byFetch(server.url)
  await byGraphqlRequest(server.url).catch(() => undefined)
  expect(other.received.map(({ headers }) => headers['x-api-key'])).toEqual(['ck_1', 'ck_1'])
  await expect(byGraphqlRequest(server.url, { redirect: 'error' })).rejects.toThrow('fetch failed')
  await expect(byCertify(server.url)).rejects.toMatchObject({ code: 'REDIRECT_REFUSED' })
  expect(other.received).toHaveLength(2)
})

test('HTTP 200 with errors: fetch says nothing, graphql-request throws a ClientError by default, this client a CertifyError', async () => {
  expect(rowOf('HTTP 200 with `errors`')).toEqual([
    'you check',
    'by default a `ClientError`',
    'a `CertifyError` with a code and an outcome',
  ])
  const { url } = await startServer(refusal)
  expect((await byFetch(url)).ok).toBe(true)
  await expect(byGraphqlRequest(url)).rejects.toBeInstanceOf(ClientError)
  await expect(byGraphqlRequest(url, { errorPolicy: 'ignore' })).resolves.toBeNull()
  await expect(byCertify(url)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', outcome: 'not-executed' })
})

test.each([
  ['a refusal', refusal],
  ['a page with HTTP 502', text('<p>bad gateway</p>', 502)],
])(
  'after %s the message of graphql-request has the e-mail address, and that of this client has not',
  async (_what, answer) => {
    expect(rowOf('Error messages')).toEqual([
      'what you write into them',
      "have the variables, so the candidate's e-mail, after an error response",
      'never have keys, candidates or links',
    ])
    const { url } = await startServer(answer)
    await expect(byGraphqlRequest(url)).rejects.toThrow('ada@example.com')
    const error: unknown = await byCertify(url).catch((reason: unknown) => reason)
    expect(String(error)).toContain('CertifyError')
    expect(String(error)).not.toContain('ada@example.com')
  },
)

test('a lost response: fetch and graphql-request fail with the same error and send once, this client says unknown', async () => {
  expect(rowOf('A lost response')).toEqual([
    'an error; whether it was executed, you find out',
    'the same error',
    'the outcome `unknown`, and a reference',
  ])
  const server = await startServer((response) => response.destroy())
  const [first, second] = await Promise.all(
    [byFetch, byGraphqlRequest].map((send) => send(server.url).catch((reason: unknown) => reason)),
  )
  expect([first, second]).toEqual([expect.any(TypeError), expect.any(TypeError)])
  expect(String(first)).toBe(String(second))
  const known = { code: 'CONNECTION_LOST', outcome: 'unknown', reference: expect.any(String) }
  await expect(byCertify(server.url)).rejects.toMatchObject(known)
  expect(server.received).toHaveLength(3)
})

test('neither fetch nor graphql-request tries again after HTTP 429; this client does, since nothing was created', async () => {
  const retries = 'built in; a create only if nothing was created'
  expect(rowOf('Retries')).toEqual(['you write them', 'you write them', retries])
  const server = await startServer((response) => response.writeHead(429, { 'retry-after': '0' }).end())
  await byFetch(server.url)
  await byGraphqlRequest(server.url).catch(() => undefined)
  expect(server.received).toHaveLength(2)
  await expect(byCertify(server.url)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  expect(server.received).toHaveLength(5)
})

test('graphql-request ends a call by the signal that it is given', async () => {
  const server = await startServer(() => undefined)
  const stop = new AbortController()
  const ended = byGraphqlRequest(server.url, { signal: stop.signal }).catch((reason: unknown) => reason)
  stop.abort()
  expect(await ended).toMatchObject({ name: 'AbortError' })
})
