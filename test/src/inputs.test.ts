import { assert, constantFrom, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { emailFault } from '../../src/util/email-address.ts'
import { CertifyClient, type Fetch, type InviteInput } from '../../src/index.ts'
import { failureOf } from './failing.ts'

const own = { email: 'ada@example.com' }
const candidate = { name: 'Ada Byron', ...own }

function setUp() {
  const sent: unknown[] = []
  const fetch: Fetch = async (...request) => {
    sent.push(request)
    throw new Error('nothing may be sent')
  }
  const options = { baseUrl: 'https://certify.test', fetch }
  const client = new CertifyClient({ ...options, apiKey: 'ck_1' })
  const session = new CertifyClient({ ...options, adminSession: { headers: { authorization: 'Bearer s' } } })
  return { client, session, sent }
}

/** Input from outside, with unchecked types. */
const loose = (input: unknown) => input as InviteInput

const inviteFields = 'quizId, candidate, sendInviteEmail, externalReference, callbackUrl'
const invalid = (why: string) => `must be a valid e-mail address: it ${why}`
const unknown = (known: string) => `is unknown; known fields: ${known}`

const REFUSED: readonly [change: object, path: string, rule: string][] = [
  [{ quizId: '' }, 'quizId', 'must not be blank'],
  [{ quizId: ' \t' }, 'quizId', 'must not be blank'],
  [{ quizId: undefined }, 'quizId', 'is missing; it must be a string'],
  [{ quizId: 7 }, 'quizId', 'must be a string'],
  [{ candidate: undefined }, 'candidate', 'is missing; it must be an object'],
  [{ candidate: {} }, 'candidate.email', 'is missing; it must be a string'],
  [{ candidate: { email: '' } }, 'candidate.email', invalid('is empty')],
  [{ candidate: { email: 'ada' } }, 'candidate.email', invalid('has no @')],
  [{ candidate: { email: ' ada@example.com' } }, 'candidate.email', invalid('has a space at position 1')],
  [{ candidate: { email: 'ada@example.com\n' } }, 'candidate.email', invalid('has U+000A at position 16')],
  [{ candidate: { email: 'a@b@c.com' } }, 'candidate.email', invalid('has more than one @')],
  [{ candidate: { email: `${'a'.repeat(251)}@x.y` } }, 'candidate.email', invalid('is longer than 254 characters')],
  [{ candidate: { ...own, name: null } }, 'candidate.name', 'must be a string, or be left out'],
  [{ candidate: { ...own, phone: '1' } }, 'candidate.phone', unknown('name, email')],
  [{ candidate: { ...own, mail: '1' } }, 'candidate.mail', unknown('name, email')],
  [{ sendInviteEmail: null }, 'sendInviteEmail', 'must be true or false, or be left out'],
  [{ sendInviteEmail: 'no' }, 'sendInviteEmail', 'must be true or false, or be left out'],
  [{ sendEmail: false }, 'sendEmail', unknown(inviteFields)],
  [{ externalReference: 17 }, 'externalReference', 'must be a string, or be left out'],
  [{ constructor: 1 }, 'constructor', unknown(inviteFields)],
  [{ 'ada@example.com': 1 }, '(name withheld)', unknown(inviteFields)],
  ...[
    'http://x.example',
    'HTTPS://x.example',
    'https://',
    'https://a b.example',
    ' https://x.example',
    'x.example',
    'https:x.example',
    'https://x.example/\u0007',
    '',
    `https://x.example/${'a'.repeat(8_192)}`,
  ].map((callbackUrl): [object, string, string] => [
    { callbackUrl },
    'callbackUrl',
    'must be a valid URL that starts with https://, of at most 8192 characters',
  ]),
]

test.each(REFUSED.map(([change, ...row]) => [JSON.stringify(change).slice(0, 60), change, ...row] as const))(
  'invites.create refuses %s, and names the field and the rule',
  async (_what, change, path, rule) => {
    const { client, sent } = setUp()
    const error = await failureOf(client.invites.create(loose({ quizId: 'q', candidate, ...change })))
    expect(error).toMatchObject({ code: 'INPUT_INVALID', outcome: 'not-executed', issues: [{ path, rule }] })
    expect(error.message).toContain(`${path} ${rule}`)
    expect(sent).toEqual([])
  },
)

test.each([[null], [undefined], ['q'], [[]], [7]])('invites.create refuses %j: it must be an object', async (input) => {
  const { client, sent } = setUp()
  const error = await failureOf(client.invites.create(loose(input)))
  expect(error).toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: '', rule: 'must be an object' }] })
  expect(sent).toEqual([])
})

test.each([
  'ada@localhost',
  'ada+tag@example.com',
  '.a..b@example.com',
  "o'hara!#$%@example.com",
  `${'a'.repeat(250)}@x.y`,
  'jürgen@example.com',
  'ju\u0308rgen@example.com',
  'x@bücher.example',
  'x@xn--bcher-kva.example',
  '用户@例子.公司',
  'ада@пример.рф',
  'x@пpимер.example',
])('an e-mail address of a browser, or an international one, is sent unchanged: $0', async (email) => {
  const { client, sent } = setUp()
  await failureOf(client.invites.create({ quizId: 'q', candidate: { email } }))
  expect(JSON.stringify(sent)).toContain(email)
})

test.each([
  ['ada@example.com ', 'has a space at position 16'],
  ['ada byron@example.com', 'has a space at position 4'],
  ['ada@example.com\u00a0', 'has U+00A0 at position 16'],
  ['ada\u200b@example.com', 'has U+200B at position 4'],
  ['ju\u0308r\u200bgen@example.com', 'has U+200B at position 5'],
  ['\u{1f469}a\u200b@example.com', 'has U+200B at position 3'],
  ...['034f', '115f', '180b', '3164', 'fe0f', 'ffa0', '{e0100}', '{e0fff}'].map((code) => {
    const hex = code.replaceAll(/[{}]/g, '').toUpperCase()
    const text = `ada${String.fromCodePoint(Number.parseInt(hex, 16))}@example.com`
    return [text, `has U+${hex} at position 4`] as [string, string]
  }),
  ['ada@exam\u00adple.com', 'has U+00AD at position 9'],
  ['ada\ud800@example.com', 'has U+D800 at position 4'],
  ['ada@example.com, grace@example.com', 'holds two addresses'],
  ['ada@example.com / grace@example.com', 'holds two addresses'],
  ['ada@example.com;', 'has ; at position 16'],
  ['"ada"@example.com', 'has " at position 1'],
  ['ada@[127.0.0.1]', 'has [ at position 5'],
  ['@example.com', 'has nothing before or after its @'],
  ['ada@', 'has nothing before or after its @'],
  ['ada@.example.com', 'has a dot too many in its domain'],
  ['ada@example..com', 'has a dot too many in its domain'],
  ['ada@example.com.', 'has a dot too many in its domain'],
  [`ada@${'a'.repeat(64)}.example`, 'has no valid domain'],
  [`ada@${'ü'.repeat(60)}.example`, 'has no valid domain'],
  ['ada@-example.com', 'has no valid domain'],
  ['ada@exam_ple.com', 'has no valid domain'],
  ['ada@bücher.example/path', 'has no valid domain'],
])('a refused e-mail address is not quoted; the error says what is wrong and where: $0', async (email, why) => {
  const { client, sent } = setUp()
  const error = await failureOf(client.invites.create({ quizId: 'q', candidate: { email } }))
  expect(error.issues).toEqual([{ path: 'candidate.email', rule: invalid(why) }])
  expect(error.message).not.toContain(email)
  expect(sent).toEqual([])
})

test('exactly the ASCII addresses that browsers accept are accepted', () => {
  const browsers =
    /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
  const ascii = string({ unit: constantFrom(...Array.from('aB1.-@ _"\n,%/')), maxLength: 12 })
  assert(
    property(ascii, (text) => (emailFault(text) === undefined) === browsers.test(text)),
    { numRuns: 5000 },
  )
})

test.each(['https://localhost/x', 'https://user:pw@10.0.0.1:8443/x?y#z', 'https://münchen.example/ü'])(
  'a callback URL may have any host and user info: %s',
  async (callbackUrl) => {
    const { client, sent } = setUp()
    await failureOf(client.invites.create({ quizId: 'q', candidate, callbackUrl }))
    expect(sent).toHaveLength(1)
  },
)

test('all problems of an input are reported together', async () => {
  const { client } = setUp()
  const error = await failureOf(client.invites.create(loose({ candidate: { email: 'x' }, callbackUrl: 'y' })))
  expect(error.issues.map(({ path }) => path)).toEqual(['quizId', 'candidate.email', 'callbackUrl'])
})

test('a field set to undefined counts as absent, even an unknown one', async () => {
  const { client, sent } = setUp()
  const input = loose({ quizId: 'q', candidate: { ...candidate, nick: undefined }, callbackUrl: undefined })
  expect((await failureOf(client.invites.create(input))).code).not.toBe('INPUT_INVALID')
  expect(JSON.stringify(sent)).not.toContain('callbackUrl')
})

test('a package invite takes no externalReference', async () => {
  const { client, sent } = setUp()
  const input = { packageId: 'p', candidate, externalReference: 'r' }
  const error = await failureOf(client.packageInvites.create(input))
  expect(error).toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: 'externalReference' }] })
  expect(sent).toEqual([])
})

test('callbackUrl in an admin session is refused before anything is sent', async () => {
  const { session, sent } = setUp()
  const callbackUrl = 'https://hooks.example.com'
  for (const call of [
    session.invites.create(loose({ quizId: 'q', candidate, callbackUrl })),
    session.packageInvites.create({ packageId: 'p', candidate, callbackUrl }),
  ]) {
    const error = await failureOf(call)
    expect(error).toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: 'callbackUrl' }] })
    expect(error.message).toContain('cannot be set in an admin session')
  }
  expect(sent).toEqual([])
})

test('tracks.list and tracks.get refuse unknown fields and a blank slug', async () => {
  const { client, sent } = setUp()
  expect(await failureOf(client.tracks.list({ slug: 'react' } as never))).toMatchObject({ issues: [{ path: 'slug' }] })
  expect(await failureOf(client.tracks.get(' '))).toMatchObject({
    operation: 'tracks.get',
    issues: [{ path: 'slug', rule: 'must not be blank' }],
  })
  expect(sent).toEqual([])
})

test.each([
  ['', {}, 'document'],
  [{ kind: 'Document', definitions: [] }, {}, 'document'],
  ['{ a }', [], 'variables'],
  ['{ a }', { big: 1n }, 'variables'],
])('request refuses the document %j with the variables %o', async (document, variables, path) => {
  const { client, sent } = setUp()
  const error = await failureOf(client.request(document as string, variables as never))
  expect(error).toMatchObject({ code: 'INPUT_INVALID', outcome: 'not-executed', issues: [{ path }] })
  expect(sent).toEqual([])
})

test.each([
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs'],
  [{ timeoutMs: 2 ** 31 }, 'timeoutMs'],
  [{ deadlineMs: 0 }, 'deadlineMs'],
  [null, ''],
  [{ signal: {} }, 'signal'],
  [{ signal: { aborted: false, addEventListener: () => {} } }, 'signal'],
  [{ timeoutMS: 5 }, 'timeoutMS'],
])('the options of a call are validated: %o', async (options, path) => {
  const { client, sent } = setUp()
  const error = await failureOf(client.invites.create({ quizId: 'q', candidate }, options as never))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed', issues: [{ path }] })
  expect(sent).toEqual([])
})
