import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyClient } from '../../src/index.ts'
import { failureOf } from './failing.ts'
import { json, startServer } from './http-server.ts'

const candidate = { name: 'Ada Byron', email: 'ada@example.com' }

function setUp() {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
  return { mock, client }
}

test('tracks.list returns every track with its deliverable packages, in the shapes of the specification', async () => {
  const { client } = setUp()
  const tracks = await client.tracks.list()
  expect(tracks.length).toBeGreaterThanOrEqual(3)
  const react = tracks.find(({ slug }) => slug === 'react')
  expect(Object.keys(react ?? {})).toEqual(['id', 'name', 'slug', 'packages'])
  const [first] = react?.packages ?? []
  expect(first).toMatchObject({ id: 'pkg_react_beginner', level: 'BEGINNER' })
  expect(Object.keys(first ?? {})).toEqual(['id', 'name', 'level', 'description', 'skills'])
  expect(Object.keys(first?.skills[0] ?? {})).toEqual([
    'quizId',
    'skillName',
    'level',
    'durationMinutes',
    'enabledLanguages',
    'conceptsTested',
  ])
})

test('tracks.list filters by search and by slug, and no match is an empty list', async () => {
  const { client } = setUp()
  expect((await client.tracks.list({ search: 'REACT' })).map(({ slug }) => slug)).toEqual(['react'])
  expect((await client.tracks.list({ trackSlug: 'react' })).map(({ slug }) => slug)).toEqual(['react'])
  expect(await client.tracks.list({ search: 'no such thing' })).toEqual([])
  expect((await client.tracks.list({ search: undefined })).length).toBeGreaterThan(1)
})

test('tracks.get returns one track, or null if there is none', async () => {
  const { client } = setUp()
  expect(await client.tracks.get('react')).toMatchObject({ slug: 'react' })
  expect(await client.tracks.get('no-such-track')).toBeNull()
})

test('invites.create returns the complete invite: its link, and its expiry as the service wrote it', async () => {
  const { mock, client } = setUp()
  const invite = await client.invites.create({ quizId: 'quiz_react_beginner_state', candidate })
  const [row] = mock.invites
  expect(invite).toEqual({
    inviteId: row?.inviteId,
    status: 'PENDING',
    challengeUrl: row?.challengeUrl,
    expiresAt: '2030-01-15T00:00:00.000Z',
    emailSent: true,
  })
  expect(JSON.parse(JSON.stringify(invite))).toEqual(invite)
  expect(mock.outbox.map(({ to }) => to)).toEqual(['ada@example.com'])
})

test('invites.create forwards every field that it was given', async () => {
  const { mock, client } = setUp()
  const invite = await client.invites.create({
    quizId: 'quiz_react_beginner_state',
    candidate,
    sendInviteEmail: false,
    externalReference: 'application 17',
    callbackUrl: 'https://user:secret@hooks.example.com/certify?x=1',
  })
  expect(invite.emailSent).toBe(false)
  expect(mock.outbox).toEqual([])
  expect(mock.invites[0]).toMatchObject({
    candidate,
    externalReference: 'application 17',
    callbackUrl: 'https://user:secret@hooks.example.com/certify?x=1',
  })
})

test('packageInvites.create returns one invite per skill of the package', async () => {
  const { mock, client } = setUp()
  const created = await client.packageInvites.create({ packageId: 'pkg_react_beginner', candidate })
  const track = await client.tracks.get('react')
  const skills = track?.packages.find(({ id }) => id === 'pkg_react_beginner')?.skills ?? []
  expect(created.packageId).toBe('pkg_react_beginner')
  expect(created.invites.map(({ quizId }) => quizId)).toEqual(skills.map(({ quizId }) => quizId))
  expect(created.invites.map(({ challengeUrl }) => challengeUrl)).toEqual(mock.invites.map((row) => row.challengeUrl))
  expect(new Set(created.invites.map(({ challengeUrl }) => challengeUrl)).size).toBe(skills.length)
})

test('a client with an admin session can list and invite', async () => {
  const mock = createMockServer()
  const client = new CertifyClient({ baseUrl: mock.baseUrl, adminSession: mock.adminSession, fetch: mock.fetch })
  expect((await client.tracks.list()).length).toBeGreaterThan(0)
  await client.invites.create({ quizId: 'quiz_react_beginner_state', candidate })
  expect(mock.invites).toHaveLength(1)
})

test('request runs any other document with its variables and returns its data unchanged', async () => {
  const { client } = setUp()
  const document = 'query Slugs($s: String) { found: developerCertificationPackageTracks(trackSlug: $s) { slug } }'
  expect(await client.request(document, { s: 'react' })).toEqual({ found: [{ slug: 'react' }] })
})

test('a request is one POST of query and variables to {baseUrl}/api/developer/graphql, with the key in x-api-key', async () => {
  const server = await startServer(json({ data: { developerCertificationPackageTracks: [] } }))
  const client = new CertifyClient({ baseUrl: `${server.url}/tenant/`, apiKey: 'ck_1' })
  await client.tracks.list({ search: 'x' })
  expect(server.received).toHaveLength(1)
  const [request] = server.received
  expect(request).toMatchObject({ method: 'POST', path: '/tenant/api/developer/graphql' })
  expect(request?.headers).toMatchObject({ 'x-api-key': 'ck_1', 'content-type': 'application/json' })
  expect(request?.headers['x-client-reference']).toMatch(/^[0-9a-f-]{36}$/)
  expect(request?.headers['user-agent']).toMatch(/^certify-sdk\/\d/)
  expect(Object.keys(JSON.parse(request?.body ?? '')).toSorted()).toEqual(['query', 'variables'])
})

test('an unknown level is not an error, and fields that were not requested are dropped at every depth', async () => {
  const { client: real } = setUp()
  const tracks = await real.tracks.list()
  const newer = tracks.map((track) => ({
    ...track,
    packages: track.packages.map((each) => ({ ...each, level: 'LEGENDARY' })),
  }))
  const grown = newer.map((track, index) => ({
    ...track,
    packages: track.packages.map((each) => ({
      ...each,
      ...(index === 0 && { price: 5 }),
      skills: each.skills.map((skill, place) => (place === 0 ? { rank: 1, ...skill } : skill)),
    })),
  }))
  const server = await startServer(json({ data: { developerCertificationPackageTracks: grown } }))
  const client = new CertifyClient({ baseUrl: server.url, apiKey: 'ck_1' })
  expect(await client.tracks.list()).toEqual(newer)
})

test('methods can be detached from the client', async () => {
  const { client, mock } = setUp()
  const { create } = client.invites
  const { request } = client
  await create({ quizId: 'quiz_react_beginner_state', candidate })
  expect(mock.invites).toHaveLength(1)
  expect(await request('{ __typename }')).toEqual({ __typename: 'Query' })
})

test('a call takes a reference and can turn retries off; both are validated before anything is sent', async () => {
  const { received, url } = await startServer(json({ errors: [] }, 503))
  const client = new CertifyClient({ baseUrl: url, apiKey: 'key' })
  const error = await failureOf(client.tracks.list({}, { retry: false, reference: 'row-7.a' }))
  expect(error).toMatchObject({ code: 'SERVER_FAULT', attempts: 1, reference: 'row-7.a' })
  expect(received.map(({ headers }) => headers['x-client-reference'])).toEqual(['row-7.a'])
  for (const reference of ['', 'a b', 'x\r\ny: z', 'x'.repeat(129)]) {
    expect(await failureOf(client.tracks.list({}, { reference }))).toMatchObject({ code: 'CONFIG_INVALID' })
  }
  const tooOften = failureOf(client.tracks.list({}, { retry: { maxAttempts: 11 } }))
  expect((await tooOften).issues).toMatchObject([{ path: 'retry' }])
  expect(received).toHaveLength(1)
})
