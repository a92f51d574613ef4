import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { CertifyClient, type Fetch } from '../../src/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { failureOf } from './failing.ts'
import { invite } from './samples.ts'

const MIB = 2 ** 20
const candidate = { email: 'ada@example.com' }
const DATA = {
  'invites.create': { developerCreateCertificationInvite: invite },
  'packageInvites.create': {
    developerCreateCertificationPackageInvite: {
      packageId: 'pkg_1',
      packageName: null,
      invites: [{ quizId: 'q', skillName: null, level: null, ...invite }],
    },
  },
  'tracks.list': { developerCertificationPackageTracks: [] },
  'a query': { __typename: 'Query' },
  'a mutation': { __typename: 'Mutation' },
}

const CALLS: Record<keyof typeof DATA, (client: CertifyClient) => Promise<unknown>> = {
  'invites.create': (client) => client.invites.create({ quizId: 'q', candidate }),
  'packageInvites.create': (client) => client.packageInvites.create({ packageId: 'pkg_1', candidate }),
  'tracks.list': (client) => client.tracks.list(),
  'a query': (client) => client.request('query { __typename }'),
  'a mutation': (client) => client.request('mutation { __typename }'),
}

function clientOf(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, options: object = {}) {
  const fetch: Fetch = async () => new Response(body, { headers })
  return new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'k', fetch, retry: false, ...options })
}

/* The response of a call, in this many bytes. */
function bodyOf(name: keyof typeof DATA, bytes: number): string {
  const body = JSON.stringify({ data: DATA[name] })
  return body + ' '.repeat(bytes - body.length)
}

describe.each(Object.keys(CALLS) as (keyof typeof DATA)[])('%s', (name) => {
  const isCreate = !/list|query/.test(name)
  const limit = isCreate ? MIB : 16 * MIB

  test(`a response of ${limit / MIB} MiB is read, and a longer one leaves the outcome of a create unknown`, async () => {
    await expect(CALLS[name](clientOf(bodyOf(name, limit)))).resolves.toBeDefined()
    expect(await failureOf(CALLS[name](clientOf(bodyOf(name, limit + 1))))).toMatchObject({
      code: 'RESPONSE_UNREADABLE',
      outcome: isCreate ? 'unknown' : 'not-executed',
    })
  })

  test('the limit holds for what an encoded response unpacks to', async () => {
    const gzip = { 'content-encoding': 'gzip' }
    await expect(CALLS[name](clientOf(gzipSync(bodyOf(name, limit)), gzip))).resolves.toBeDefined()
    expect(await failureOf(CALLS[name](clientOf(gzipSync(bodyOf(name, limit + 1)), gzip)))).toMatchObject({
      code: 'RESPONSE_UNREADABLE',
    })
  })
})

const LONG = 'i'.repeat(1025)

test.each([
  ['an id of 1,025 characters', { inviteId: LONG }],
  ['an id of 900 kB', { inviteId: 'i'.repeat(900_000) }],
  ['a blank id', { inviteId: ' ' }],
  ['a script as its link', { challengeUrl: 'javascript:alert(1)' }],
  ['a script as its link, with a blank before it', { challengeUrl: ' javascript:alert(1)' }],
  ['data as its link', { challengeUrl: 'data:text/html,x' }],
  ['a link without a scheme', { challengeUrl: '//certify.test/c/1' }],
  ['a path as its link', { challengeUrl: '/c/1' }],
  ['a link to a file', { challengeUrl: 'file:///etc/passwd' }],
  ['a link without a host', { challengeUrl: 'https://' }],
  ['a link with a line break', { challengeUrl: 'https://certify.test/\nc' }],
  ['a link with an escape sequence', { challengeUrl: 'https://certify.test/\u001b[2J' }],
  ['a link of 9,000 characters', { challengeUrl: `https://certify.test/${'c'.repeat(9000)}` }],
])('%s is RESPONSE_UNEXPECTED: it is in partial, and what can be used is recorded', async (_what, own) => {
  const [skill] = DATA['packageInvites.create'].developerCreateCertificationPackageInvite.invites
  const pack = { packageId: 'pkg_1', packageName: null, invites: [skill, { ...skill, inviteId: 'inv_2', ...own }] }
  const inPackage = clientOf(JSON.stringify({ data: { developerCreateCertificationPackageInvite: pack } }))
  expect(await failureOf(CALLS['packageInvites.create'](inPackage))).toMatchObject({
    code: 'RESPONSE_UNEXPECTED',
    outcome: 'executed',
    partial: { developerCreateCertificationPackageInvite: pack },
  })
  const ledger = await openLedger(':memory:')
  const data = { developerCreateCertificationInvite: { ...invite, ...own } }
  const client = clientOf(JSON.stringify({ data }), {}, { ledger })
  const error = await failureOf(client.invites.create({ quizId: 'q', candidate }, { reference: 'r1' }))
  expect(error).toMatchObject({ code: 'RESPONSE_UNEXPECTED', outcome: 'executed', partial: data })
  const { state, invites } = (await ledger.find('r1')) ?? {}
  expect(state).toBe('created')
  expect(invites).toMatchObject('inviteId' in own ? [] : [{ inviteId: 'inv_1' }])
  expect(invites?.[0] ?? {}).not.toHaveProperty('challengeUrl')
})

test.each(['http://localhost:4010/c/1', 'HTTPS://CERTIFY.TEST/c/1', 'https://zo\u00eb.example/c/\u00eb?x=1#y'])(
  'a link is any http or https URL: %s',
  async (challengeUrl) => {
    const body = JSON.stringify({ data: { developerCreateCertificationInvite: { ...invite, challengeUrl } } })
    expect(await CALLS['invites.create'](clientOf(body))).toMatchObject({ challengeUrl })
  },
)
