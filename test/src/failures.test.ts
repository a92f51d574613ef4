import { getEventListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listenInTest } from '../listen.ts'
import { CertifyClient, type CertifyErrorCode, type Fetch, type Outcome } from '../../src/index.ts'
import { globalFetch, isRuntimeFetch, proofOfUnsent } from '../../src/transport/fetch.ts'
import { clientBy, jumpingClock, manualClock } from './clock.ts'
import { everythingShown, failureOf, settle } from './failing.ts'
import { json, rawBytes, startServer, text } from './http-server.ts'

const canary = 'canary'
const candidate = { name: canary, email: `${canary}@example.com` }
const input = { quizId: 'quiz_1', candidate, externalReference: canary }
const invite = {
  inviteId: 'inv_1',
  status: 'PENDING',
  challengeUrl: `https://certify.test/${canary}`,
  expiresAt: '2030-01-15T00:00:00Z',
  emailSent: true,
}
const field = 'developerCreateCertificationInvite'
const fault = (code?: string, path?: unknown) => ({
  message: canary,
  ...(code !== undefined && { extensions: { code } }),
  ...(path !== undefined && { path }),
})

/* A result next to deeply nested lists: it parses, but not every library can read it. */
const deep = (own: string, levels: number) =>
  `{"data":{"${own}":${JSON.stringify(invite)},"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`

type Answer = (response: ServerResponse) => unknown

/** A service that answers each request so, and a client of it whose delays take no time. */
async function answeredWith(answer: Answer) {
  const server = await startServer(answer)
  return { server, client: clientBy(manualClock(), { baseUrl: server.url, apiKey: 'ck_1' }) }
}

type Ending = readonly [what: string, answer: Answer]

const ending = (code: CertifyErrorCode, outcome: Outcome, answers: readonly Ending[]) =>
  answers.map(([what, answer]) => ({ what, answer, code, outcome }))

const rowsOf = (own: string) => [
  ...ending('BAD_USER_INPUT', 'not-executed', [
    ['BAD_USER_INPUT', json({ data: null, errors: [fault('BAD_USER_INPUT')] })],
    ['BAD_USER_INPUT under HTTP 400', json({ errors: [fault('BAD_USER_INPUT')] }, 400)],
  ]),
  ...ending('FORBIDDEN', 'not-executed', [
    ['a code beside the extensions', json({ errors: [{ message: 'w', code: 'FORBIDDEN' }] })],
    [
      'a refusal with the path of the field itself',
      json({ data: { [own]: null }, errors: [fault('FORBIDDEN', [own])] }),
    ],
    ['FORBIDDEN', json({ data: { [own]: null }, errors: [fault('FORBIDDEN')] })],
    ['HTTP 403', text('no', 403)],
  ]),
  ...ending('UNAUTHENTICATED', 'not-executed', [
    ['UNAUTHENTICATED', json({ errors: [fault('UNAUTHENTICATED')] })],
    ['HTTP 401 with HTML', text(`<h1>${canary}</h1>`, 401)],
    ['HTTP 401 with an error without a code', json({ errors: [fault()] }, 401)],
  ]),
  ...ending('API_ERROR', 'unknown', [
    ['a code that is the name of a method', json({ data: null, errors: [fault('constructor')] })],
    [
      'an unknown code with the path of the field itself under HTTP 400',
      json({ errors: [fault('MAIL_FAILED', [own])] }, 400),
    ],
    ['a code that is unknown, and null data, under HTTP 422', json({ data: null, errors: [fault('QUOTA')] }, 422)],
    ['RATE_LIMITED beside null data', json({ data: null, errors: [fault('RATE_LIMITED')] })],
    ['an unknown code and null data', json({ data: null, errors: [fault('QUOTA')] })],
    ['no code and null data', json({ data: null, errors: [fault()] })],
    ['errors that disagree', json({ data: null, errors: [fault('FORBIDDEN'), fault('QUOTA')] })],
  ]),
  ...ending('RESPONSE_UNREADABLE', 'unknown', [
    ['one error that is not in a list', json({ data: null, errors: fault('FORBIDDEN') })],
    ...[{}, canary, [null], [canary], [[]], 7].map(
      (errors): Ending => [
        `errors that are no list of objects, ${JSON.stringify(errors)}, under HTTP 403`,
        json({ errors }, 403),
      ],
    ),
    ['HTTP 401 and half a result', text('{"data":{"', 401)],
    ['HTTP 403 and a list of results', json([{ data: { [own]: invite } }], 403)],
    [
      'HTTP 404 and JSON that ends, empty, with its connection',
      ({ socket }) => socket?.end('HTTP/1.1 404 No\r\ncontent-type: application/json\r\n\r\n'),
    ],
    ['HTTP 429 and a result in a text', json(JSON.stringify({ data: { [own]: invite } }), 429)],
    ['HTTP 400 and an event stream', text(`data: ${JSON.stringify({ data: { [own]: invite } })}`, 400)],
    ['HTTP 400 and a result in UTF-16', text('\0{\0}', 400)],
    ['HTTP 404 and bytes that are no text', rawBytes([0x1f, 0x8b, 0xff, 0xfe], 404)],
    ['HTTP 429 and a result nested 6,000 levels deep', text(deep(own, 6000), 429)],
    ['HTTP 429 and a result nested 100,000 levels deep', text(deep(own, 100_000), 429)],
    ['a result nested 6,000 levels deep', text(deep(own, 6000))],
    ['HTTP 429 and data that are a list', json({ data: [invite] }, 429)],
    ['HTTP 429 and data that are a text', json({ data: canary }, 429)],
    [
      'HTTP 429 whose body is cut',
      (response) => {
        response.writeHead(429, { 'content-length': 1000 })
        response.write('slow', () => response.destroy())
      },
    ],
    ['HTML', text(`<h1>${canary}</h1>`)],
    ['an empty body', text('')],
    ['half a document', text('{"data":{"developer', 200, 'application/json')],
    ['a list', json([])],
    ['an empty object', json({})],
    ['a string', json('ok')],
    [
      'a body that is cut',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
        response.write('{"data":', () => response.destroy())
      },
    ],
    [
      'a body larger than any answer can be',
      (response) => response.end(`{"data":{"x":"${'x'.repeat(17 * 1024 * 1024)}"}}`),
    ],
  ]),
  ...ending('RESPONSE_UNEXPECTED', 'unknown', [
    ['HTTP 403 beside null data', json({ data: null }, 403)],
    ['data that is null', json({ data: null })],
    ['a result that is null', json({ data: { [own]: null } })],
  ]),
  ...ending('RATE_LIMITED', 'not-executed', [
    ['HTTP 429 and an empty body of JSON', text('', 429, 'application/json')],
    ['HTTP 429 with JSON of a gateway', json({ message: canary }, 429)],
    ['HTTP 429', text('slow down', 429)],
    ['HTTP 429 with an internal code', json({ errors: [fault('INTERNAL_SERVER_ERROR')] }, 429)],
    ['RATE_LIMITED', json({ errors: [fault('RATE_LIMITED')] })],
  ]),
  ...ending('UNREACHABLE', 'not-executed', [
    ['HTTP 404 and an empty body of JSON', text('', 404, 'application/json')],
    [
      'HTTP 404 and JSON of no length',
      (response) => response.writeHead(404, { 'content-type': 'application/json', 'content-length': 0 }).end(),
    ],
    ['HTTP 404', text('no', 404)],
    ['HTTP 404 and a page with a style', text('<style>a { color: red }</style>', 404)],
    ['HTTP 404 with JSON of a gateway', json({ message: canary }, 404)],
    ['HTTP 400 without a GraphQL body', text('no', 400)],
    ['HTTP 418', text('no', 418)],
  ]),
  ...ending('RESPONSE_MISMATCHED', 'unknown', [
    ['the result of another field', json({ data: { someOtherField: [invite] } })],
  ]),
  ...ending('NOT_FOUND', 'not-executed', [['NOT_FOUND', json({ data: null, errors: [fault('NOT_FOUND')] })]]),
  ...ending('API_ERROR', 'not-executed', [
    ['HTTP 404 with an error without a code', json({ errors: [fault()] }, 404)],
    ['an unknown code and no data', json({ errors: [fault('QUOTA')] })],
    ['an unknown code under HTTP 422', json({ errors: [fault('QUOTA')] }, 422)],
  ]),
  ...ending('SERVER_FAULT', 'unknown', [
    ['HTTP 499', text('', 499)],
    ['HTTP 429 beside null data', json({ data: null, errors: [fault('INTERNAL_SERVER_ERROR')] }, 429)],
    ['HTTP 504', text('', 504)],
    ['HTTP 408', text('', 408)],
    ['HTTP 500', json({ errors: [fault()] }, 500)],
    ['HTTP 502 with HTML', text(`<h1>${canary}</h1>`, 502)],
    ['HTTP 503', text('', 503)],
    ['an internal error', json({ data: null, errors: [fault('INTERNAL_SERVER_ERROR')] })],
  ]),
  ...ending('RESPONSE_UNEXPECTED', 'executed', [
    ['a result beside errors that are no list', json({ data: { [own]: invite }, errors: canary })],
    ['a missing field', json({ data: { [own]: { ...invite, challengeUrl: undefined } } })],
    ['a field of another type', json({ data: { [own]: { ...invite, emailSent: 'yes' } } })],
    ['a result beside an error', json({ data: { [own]: invite }, errors: [fault('X')] })],
    ['a result under HTTP 500', json({ data: { [own]: invite } }, 500)],
  ]),
  ...ending('REDIRECT_REFUSED', 'not-executed', [
    ['HTTP 301', text('', 301)],
    ['HTTP 307', text('', 307)],
  ]),
  ...ending('REDIRECT_REFUSED', 'unknown', [
    ['HTTP 302', text('', 302)],
    ['HTTP 303', text('', 303)],
    ['HTTP 304', text('', 304)],
  ]),
  ...ending('CONNECTION_LOST', 'unknown', [['a connection that is cut', (response) => response.destroy()]]),
  ...ending('TIMED_OUT', 'unknown', [
    ['silence', () => {}],
    [
      'a body that stalls',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":'),
    ],
  ]),
]

const operations = {
  'invites.create': { field, call: (client: CertifyClient) => client.invites.create(input) },
  'tracks.list': {
    field: 'developerCertificationPackageTracks',
    call: (client: CertifyClient) => client.tracks.list({ search: canary }),
  },
}
const table = Object.entries(operations).flatMap(([operation, { field: own, call }]) =>
  rowsOf(own).map((row) => ({ operation, call, ...row })),
)
const passes = new Set<string>(['CONNECTION_LOST', 'TIMED_OUT', 'SERVER_FAULT', 'RESPONSE_UNREADABLE', 'RATE_LIMITED'])

test.each(table)('$operation, answered with $what', async ({ operation, call, what, answer, code, outcome }) => {
  const clock = manualClock()
  const server = await startServer((response) => {
    answer(response)
    if (code === 'TIMED_OUT') clock.timeOut()
  })
  const told: unknown[] = []
  const tell = (event: unknown) => void told.push(event)
  const options = {
    baseUrl: server.url,
    apiKey: `ck_${canary}`,
    hooks: { onAttempt: tell, onRetry: tell, onSettled: tell },
  }
  const error = await failureOf(call(clientBy(clock, options)))
  expect(error).toMatchObject({ code, operation, outcome: operation === 'tracks.list' ? 'not-executed' : outcome })
  expect(error.message).toMatch(/^[\w.]+: .+\.$/s)
  expect(error.hint).toMatch(/\.$/)
  expect(error.hint?.includes('It was created')).toBe(error.outcome === 'executed')
  const isRepeated =
    operation === 'tracks.list' ? passes.has(code) : code === 'RATE_LIMITED' && what.startsWith('HTTP 429')
  const attempts = isRepeated ? 3 : 1
  expect(server.received).toHaveLength(attempts)
  expect(new Set(server.received.map(({ headers }) => headers['x-client-reference']))).toEqual(
    new Set([error.reference]),
  )
  expect(told).toHaveLength(2 * attempts)
  expect(everythingShown(error) + JSON.stringify(told)).not.toContain(canary)
})

test.each<[what: string, answer: Answer, code: CertifyErrorCode, retryable: boolean, words: RegExp]>([
  ['a page of something in front', text('<h1>no</h1>', 404), 'UNREACHABLE', true, /in front of the service.*HTTP 404/],
  ['HTTP 413 in JSON', json({ message: 'large' }, 413), 'UNREACHABLE', true, /gateway, a firewall or a proxy/],
  ['a refused key', json({ errors: [fault('UNAUTHENTICATED')] }), 'UNAUTHENTICATED', true, /^((?!firewall).)*$/],
  ['HTTP 401 with a page', text('<h1>no</h1>', 401), 'UNAUTHENTICATED', true, /firewall/],
  ['a missing scope', json({ errors: [fault('FORBIDDEN')] }), 'FORBIDDEN', true, /^((?!firewall).)*$/],
  ['HTTP 403 with a page', text('<h1>no</h1>', 403), 'FORBIDDEN', true, /INVITE_CREATE\. Or a firewall/],
  ['an error without a code or data', json({ errors: [fault()] }), 'API_ERROR', true, /without a code/],
  ['the same under HTTP 404', json({ errors: [fault()] }, 404), 'API_ERROR', true, /without a code/],
  ['an unknown code', json({ errors: [fault('QUOTA')] }), 'API_ERROR', false, /QUOTA/],
  ['a refused input', json({ errors: [fault('BAD_USER_INPUT')] }), 'BAD_USER_INPUT', false, /refused the input/],
])('after %s the call is not repeated; a queue may be told to', async (_what, answer, code, retryable, words) => {
  const { client, server } = await answeredWith(answer)
  const error = await failureOf(client.invites.create(input))
  expect(error).toMatchObject({ code, outcome: 'not-executed', retryable })
  expect(`${error.message} ${error.hint}`).toMatch(words)
  expect(server.received).toHaveLength(1)
})

/*
 * The service had created the invite before it failed inside the result, as lagging replicas and failing e-mail cause
 * it.
 */
test.each([
  ['FORBIDDEN', 'challengeUrl', 200],
  ['NOT_FOUND', 'status', 200],
  ['BAD_USER_INPUT', 'expiresAt', 400],
  ['UNAUTHENTICATED', 'challengeUrl', 401],
  ['RATE_LIMITED', 'emailSent', 429],
])('an error %s below the field, at %s, proves that the resolver ran: no retry', async (code, child, status) => {
  const answers: [answer: unknown, outcome: Outcome][] = [
    [{ errors: [fault(code, [field, child])] }, 'unknown'],
    [{ data: null, errors: [fault(code, [field, child])] }, 'unknown'],
    [{ data: { [field]: null }, errors: [fault('FORBIDDEN', [field]), fault(code, [field, child])] }, 'unknown'],
    [{ data: null, errors: [fault(code, `${field}.${child}`)] }, 'unknown'],
    [{ data: { [field]: { ...invite, [child]: null } }, errors: [fault(code, [field, child])] }, 'executed'],
  ]
  for (const [answer, outcome] of answers) {
    const { client, server } = await answeredWith(json(answer, status))
    const error = await failureOf(client.invites.create(input))
    expect(error).toMatchObject({ code: 'RESPONSE_UNEXPECTED', outcome })
    expect(server.received).toHaveLength(1)
  }
})

test.each([
  ['data', { data: null, errors: [fault('RATE_LIMITED')] }, 'API_ERROR', 'unknown'],
  ['data and an unknown error', { data: null, errors: [fault()] }, 'API_ERROR', 'unknown'],
  ['data alone', { data: null }, 'RESPONSE_UNEXPECTED', 'unknown'],
  ['the path of the field', { errors: [fault('RATE_LIMITED', [field])] }, 'RATE_LIMITED', 'not-executed'],
  ['an empty path', { errors: [fault('RATE_LIMITED', [])] }, 'RATE_LIMITED', 'not-executed'],
])('a create is never sent again after an HTTP 429 with %s', async (_what, answer, code, outcome) => {
  const { client, server } = await answeredWith(json(answer, 429))
  expect(await failureOf(client.invites.create(input))).toMatchObject({ code, outcome })
  expect(server.received).toHaveLength(1)
})

test('in a document with several fields, the refusal of one does not prove that the others were not executed', async () => {
  const { client } = await answeredWith(json({ data: null, errors: [fault('BAD_USER_INPUT', ['b'])] }))
  const two = 'mutation { a: create(input: 1) { id } b: create(input: 2) { id } }'
  expect(await failureOf(client.request(two))).toMatchObject({ code: 'API_ERROR', outcome: 'unknown' })
})

test('a reset before any response is retried only if the runtime proves that nothing was sent', async () => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    socket.resetAndDestroy()
  })
  const port = await listenInTest(server)
  const client = clientBy(manualClock(), { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'ck_1' })
  const { code, outcome, attempts } = await failureOf(client.invites.create(input))
  expect(connections).toBe(attempts)
  expect([
    ['CONNECTION_LOST', 'unknown'],
    ['UNREACHABLE', 'not-executed'],
  ]).toContainEqual([code, outcome])
  expect(outcome === 'unknown' ? 1 : attempts).toBe(attempts)
})

test.each(['errors', 'extensions'])('a result with %s: null is still a result', async (key) => {
  const { client } = await answeredWith(json({ data: { [field]: invite }, [key]: null }))
  expect(await client.invites.create(input)).toEqual(invite)
})

test.each(['application/graphql-response+json', 'text/plain', 'text/html', ''])(
  'a result that parses is read, whatever its content type says: %j',
  async (contentType) => {
    const { client } = await answeredWith(text(JSON.stringify({ data: { [field]: invite } }), 200, contentType))
    expect(await client.invites.create(input)).toEqual(invite)
  },
)

test.each([
  ['text/html; charset=utf-8', 'Sign in', 'an HTML page'],
  ['', ' <!DOCTYPE html><title>Sign in</title>', 'an HTML page'],
  ['application/octet-stream', '<html><body>Sign in', 'an HTML page'],
  ['text/plain', 'upstream not found', 'plain text'],
  ['application/json', '{"about":"<html>"}', undefined],
])('a response that is no GraphQL result is named by its kind, not quoted: %s %j', async (contentType, body, kind) => {
  const { client } = await answeredWith(text(body, 404, contentType))
  const { code, message } = await failureOf(client.tracks.list())
  expect(code).toBe('UNREACHABLE')
  expect(/an HTML page|plain text/.exec(message)?.[0]).toBe(kind)
  expect(message).not.toMatch(/sign in|upstream|about/i)
})

test('a package invite for another package is RESPONSE_MISMATCHED, and none of its links reaches the caller', async () => {
  const skill = { ...invite, quizId: 'quiz_1', skillName: 'React', level: 'BEGINNER' }
  const own = { packageId: ' pkg_1 ', packageName: 'React', invites: [skill] }
  const results = [
    own,
    { ...own, packageId: 'pkg_2' },
    { ...own, packageId: 'pkg_2', invites: [{ ...skill, inviteId: '' }] },
  ]
  const server = await startServer((response) =>
    json({ data: { developerCreateCertificationPackageInvite: results.shift() } })(response),
  )
  /* A client of its own for each: its circuit breaker would send a query. */
  const create = () =>
    new CertifyClient({ baseUrl: server.url, apiKey: 'ck_1' }).packageInvites.create({ packageId: 'pkg_1', candidate })
  expect(await create()).toMatchObject({ invites: [{ inviteId: 'inv_1' }] })
  for (const error of [await failureOf(create()), await failureOf(create())]) {
    expect(error).toMatchObject({ code: 'RESPONSE_MISMATCHED', outcome: 'unknown', partial: undefined })
    expect(everythingShown(error)).not.toContain(canary)
  }
})

test('a response may be nested 200 levels deep, and no deeper', async () => {
  const levels = [199, 200]
  const { client } = await answeredWith((response) => text(deep(field, levels.shift() ?? 0))(response))
  expect(await client.invites.create(input)).toEqual(invite)
  expect((await failureOf(client.invites.create(input))).code).toBe('RESPONSE_UNREADABLE')
})

test('an unexpected response is kept in partial, and the offending fields are named', async () => {
  const answer = { [field]: { colour: 'red', ...invite, expiresAt: 7 } }
  const { client } = await answeredWith(json({ data: answer }))
  const error = await failureOf(client.invites.create(input))
  expect(error.partial).toEqual(answer)
  expect(error.issues).toEqual([{ path: `${field}.expiresAt`, rule: 'must be a time in ISO 8601' }])
})

test('an unknown error code of the service is kept; text that is not a word is not taken for a code', async () => {
  const codes = ['QUOTA_EXCEEDED', 'ada@example.com is known']
  const { client } = await answeredWith((response) => json({ errors: [fault(codes.shift())] })(response))
  expect((await failureOf(client.invites.create(input))).apiCode).toBe('QUOTA_EXCEEDED')
  expect((await failureOf(client.invites.create(input))).apiCode).toBeUndefined()
})

test('BAD_USER_INPUT and its hint name the documented causes for the operation, and none where none are documented', async () => {
  const { client } = await answeredWith(json({ data: null, errors: [fault('BAD_USER_INPUT')] }))
  const single = await failureOf(client.invites.create(input))
  const pack = await failureOf(client.packageInvites.create({ packageId: 'p', candidate: input.candidate }))
  const listing = await failureOf(client.tracks.list())
  expect(single.possibleReasons).toHaveLength(3)
  expect(pack.possibleReasons).toHaveLength(2)
  expect(listing.possibleReasons).toEqual([])
  for (const { hint, possibleReasons } of [single, pack]) {
    expect(hint).toBe(
      `Check which of the documented reasons applies: ${possibleReasons.join('; ')}. It may also be an unknown id.`,
    )
  }
  expect(listing.hint).toBe('No reason is known but the messages of the service.')
  expect(single.apiMessages).toEqual([canary])
  const withoutCodes = await answeredWith(json({ errors: [fault()] }))
  const { hint } = await failureOf(withoutCodes.client.invites.create(input))
  expect(hint).toBe('No reason is known but the messages of the service.')
})

test('redirects are not followed: neither key nor candidate reaches the other host', async () => {
  const elsewhere = await startServer(json({ data: { [field]: invite } }))
  for (const status of [300, 301, 302, 303, 304, 305, 307, 308]) {
    const { client } = await answeredWith((response) => response.writeHead(status, { location: elsewhere.url }).end())
    expect((await failureOf(client.invites.create(input))).code).toBe('REDIRECT_REFUSED')
  }
  expect(elsewhere.received).toEqual([])
})

test.each([undefined, {}, { get: () => 7 }, { get: () => expect.fail('mine') }])(
  'odd headers from a custom fetch do not lose the invite: %o',
  async (headers) => {
    const body = [Buffer.from(JSON.stringify({ data: { [field]: invite } }))]
    const fetch = (async () => ({ status: 200, ok: true, headers, body })) as unknown as Fetch
    const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'ck_1', fetch })
    expect(await client.invites.create(input)).toEqual(invite)
  },
)

test('a redirect that a browser hides may have followed a create: the outcome is unknown', async () => {
  const fetch: Fetch = async () => ({
    status: 0,
    ok: false,
    type: 'opaqueredirect',
    headers: new Headers(),
    body: null,
  })
  const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'ck_1', fetch })
  expect(await failureOf(client.invites.create(input))).toMatchObject({ code: 'REDIRECT_REFUSED', outcome: 'unknown' })
})

test('a long response is read correctly even if its chunks split a character', async () => {
  const name = '認定🎓é'.repeat(20_000)
  const track = { id: 't', name, slug: 's', packages: [] }
  const bytes = Buffer.from(JSON.stringify({ data: { developerCertificationPackageTracks: [track] } }))
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += 1021) yield bytes.subarray(start, start + 1021)
  }
  const fetch: Fetch = async () => ({ status: 200, ok: true, headers: new Headers(), body: pieces() })
  const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'ck_1', fetch })
  expect(await client.tracks.list()).toEqual([track])
})

test('the time-out of a call overrides the client’s, and the phase says how far the call had got', async () => {
  const clock = manualClock()
  const silent = await startServer(() => clock.timeOut())
  async function* stalled() {
    yield Buffer.from('{"data":')
    clock.timeOut()
    await new Promise(() => {})
  }
  const fetch: Fetch = async () => ({ status: 200, ok: true, headers: new Headers(), body: stalled() })
  const phases = []
  for (const options of [{ baseUrl: silent.url }, { baseUrl: 'https://certify.test', fetch }]) {
    const client = clientBy(clock, { ...options, apiKey: 'ck_1' })
    const error = await failureOf(client.invites.create(input, { timeoutMs: 40_000 }))
    phases.push([error.code, error.phase, error.status])
  }
  expect(clock.limits).toEqual([40_000, 40_000])
  expect(phases).toEqual([
    ['TIMED_OUT', 'sent', undefined],
    ['TIMED_OUT', 'body', 200],
  ])
})

test('a time-out closes the connection', async () => {
  const clock = manualClock()
  let closed: () => void = () => {}
  const end = new Promise<void>((resolve) => {
    closed = resolve
  })
  const server = await startServer((response) => {
    response.on('close', closed)
    clock.timeOut()
  })
  await failureOf(clientBy(clock, { baseUrl: server.url, apiKey: 'ck_1' }).invites.create(input))
  await end
  expect(server.received).toHaveLength(1)
})

test('a signal aborted before the call keeps the request from being sent', async () => {
  const { client, server } = await answeredWith(json({}))
  const error = await failureOf(client.invites.create(input, { signal: AbortSignal.abort('enough') }))
  expect(error).toMatchObject({ code: 'ABORTED', outcome: 'not-executed', phase: 'not-sent', cause: 'enough' })
  expect(server.received).toEqual([])
})

test('a signal aborted after sending leaves the outcome unknown', async () => {
  const controller = new AbortController()
  const { client } = await answeredWith(() => controller.abort('enough'))
  const error = await failureOf(client.invites.create(input, { signal: controller.signal }))
  expect(error).toMatchObject({ code: 'ABORTED', outcome: 'unknown', phase: 'sent', cause: 'enough' })
})

test.each([
  ['whole', JSON.stringify({ data: { [field]: invite } }), undefined],
  ['cut', JSON.stringify({ data: { [field]: invite } }).slice(0, -1), 'ABORTED'],
  ['a refusal', JSON.stringify({ errors: [fault('FORBIDDEN')] }), 'ABORTED'],
])('an abort in the same turn as the end of the response: %s', async (_what, body, code) => {
  const controller = new AbortController()
  async function* pieces() {
    yield Buffer.from(body)
    controller.abort('enough')
  }
  const fetch: Fetch = async () => ({ status: 200, ok: true, headers: new Headers(), body: pieces() })
  const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'ck_1', fetch })
  const { value, error } = await settle(client.invites.create(input, { signal: controller.signal }))
  expect(error?.code).toBe(code)
  expect(value).toEqual(code === undefined ? invite : undefined)
})

test('an extra field that a gateway adds to the result is ignored', async () => {
  const answer = { data: { __typename: 'Mutation', [field]: null }, errors: [fault('BAD_USER_INPUT', [field])] }
  const { client } = await answeredWith(json(answer))
  expect(await failureOf(client.invites.create(input))).toMatchObject({
    code: 'BAD_USER_INPUT',
    outcome: 'not-executed',
  })
})

test('a time-out ends the call even if fetch ignores its signal', async () => {
  const fetch: Fetch = () => new Promise(() => {})
  const client = clientBy(jumpingClock(), { baseUrl: 'https://certify.test', apiKey: 'ck_1', fetch })
  expect(await failureOf(client.invites.create(input))).toMatchObject({ code: 'TIMED_OUT', outcome: 'unknown' })
})

test.each([
  [{ code: 'ECONNRESET', syscall: 'read' }, 'CONNECTION_LOST'],
  [{ code: 'ECONNRESET', syscall: 'connect' }, 'UNREACHABLE'],
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'UNREACHABLE'],
  [{ syscall: 'getaddrinfo' }, 'UNREACHABLE'],
  [{ code: 'EHOSTUNREACH' }, 'CONNECTION_LOST'],
  [{ code: 'ECONNREFUSED', erroredSysCall: 'connect' }, 'UNREACHABLE'],
  [{ code: 'ECONNREFUSED', erroredSysCall: 'read' }, 'CONNECTION_LOST'],
  [{ cause: { code: 'EHOSTUNREACH', syscall: 'read' } }, 'CONNECTION_LOST'],
  [{ code: 'ECONNREFUSED', syscall: 'read' }, 'CONNECTION_LOST'],
  [{ code: 'ENETUNREACH', syscall: 'write' }, 'CONNECTION_LOST'],
  [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'CONNECTION_LOST'],
  [{ code: 'ERR_SSL_BAD_RECORD_TYPE' }, 'CONNECTION_LOST'],
  [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'UNREACHABLE'],
  [{ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, 'UNREACHABLE'],
  [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'UNREACHABLE'],
  [{ code: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'UNREACHABLE'],
  [{ code: 'CERT_HAS_EXPIRED' }, 'UNREACHABLE'],
  [{ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }, 'UNREACHABLE'],
  [{ cause: { code: 'UND_ERR_SOCKET' } }, 'CONNECTION_LOST'],
  [{ errors: [{ code: 'ECONNREFUSED' }, { code: 'ENETUNREACH' }] }, 'CONNECTION_LOST'],
  [{ errors: [{ code: 'ECONNREFUSED', syscall: 'connect' }, { code: 'EPIPE' }] }, 'CONNECTION_LOST'],
  [{ errors: [{ syscall: 'connect' }, { code: 'ENETUNREACH', syscall: 'connect' }] }, 'UNREACHABLE'],
])('an error counts as unsent only with proof: %j', async (error, code) => {
  const fetch: Fetch = async () => {
    throw Object.assign(new Error('failed'), error)
  }
  const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'ck_1', fetch, retry: false })
  expect((await failureOf(client.invites.create(input))).code).toBe(code)
})

test.each([
  ['ECONNREFUSED', true],
  ['EHOSTUNREACH', true],
  ['ENOTFOUND', true],
  ['ERR_SSL_WRONG_VERSION_NUMBER', false],
  ['ECONNRESET', false],
])('the runtime’s own fetch may omit the system call: whether %s alone is proof: %s', (code, proof) => {
  const error = Object.assign(new TypeError('fetch failed'), { cause: { code } })
  expect(proofOfUnsent(error, true)).toBe(proof ? code : undefined)
  expect(proofOfUnsent(error, false)).toBeUndefined()
})

test('a replaced global fetch is not taken for the runtime’s own', () => {
  expect(isRuntimeFetch(globalFetch)).toBe(true)
  expect(isRuntimeFetch(globalThis.fetch)).toBe(true)
  vi.stubGlobal('fetch', async () => new Response())
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(isRuntimeFetch(globalFetch)).toBe(false)
  expect(isRuntimeFetch(globalThis.fetch)).toBe(false)
})

test('calls that share a signal put one listener on it, in waits between attempts too, and leave none', async () => {
  let attempts = 0
  const tracks = JSON.stringify({ data: { developerCertificationPackageTracks: [] } })
  const fetch: Fetch = async () => ((attempts += 1) <= 12 ? new Response('', { status: 503 }) : new Response(tracks))
  const client = clientBy(manualClock(), { baseUrl: 'https://certify.test', apiKey: 'ck_1', fetch })
  const listeners = new Set<() => void>()
  let most = 0
  const signal = {
    aborted: false,
    addEventListener: (_type: 'abort', listener: () => void) => {
      most = Math.max(most, listeners.add(listener).size)
    },
    removeEventListener: (_type: 'abort', listener: () => void) => void listeners.delete(listener),
  }
  await Promise.all(Array.from({ length: 12 }, () => client.tracks.list({}, { signal })))
  expect([attempts, most, listeners.size]).toEqual([24, 1, 0])
})

test('a signal aborts every call that shares it, and none after them leaves a listener on it', async () => {
  const stop = new AbortController()
  const fetch: Fetch = (_url, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
  const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'ck_1', fetch })
  const create = () => failureOf(client.invites.create(input, { signal: stop.signal }))
  const calls = Array.from({ length: 12 }, create)
  await expect.poll(() => getEventListeners(stop.signal, 'abort')).toHaveLength(1)
  stop.abort()
  expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(calls.map(() => 'ABORTED'))
  expect(await create()).toMatchObject({ code: 'ABORTED', outcome: 'not-executed' })
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0)
})
