import { expect, test } from 'vitest'
import { CertifyClient } from '../../src/index.ts'
import { nullable, openObject, rule, validate } from '../../src/validation.ts'
import { failureOf } from './failing.ts'
import { candidate, guardedSetting, PACKAGE, QUIZ } from './ledger/setting.ts'

const nulls = () => guardedSetting({ behaviour: { nullDescriptions: 'always' } })

test('tracks with null descriptive fields are listed, with their ids, slugs and lists', async () => {
  const { client } = await nulls()
  const [track] = await client.tracks.list({ trackSlug: 'react' })
  expect(track).toMatchObject({ id: expect.any(String), name: null, slug: 'react' })
  expect(track?.packages[0]).toMatchObject({ id: expect.any(String), name: null, level: null, description: null })
  expect(track?.packages[0]?.skills[0]).toEqual({
    quizId: expect.any(String),
    skillName: null,
    level: null,
    durationMinutes: null,
    enabledLanguages: null,
    conceptsTested: null,
  })
  expect((await client.tracks.get('react'))?.slug).toBe('react')
})

test('a created invite whose descriptive fields are null is a result, not an error', async () => {
  const { client, mock } = await nulls()
  const challengeUrl = expect.stringContaining('https://') as string
  const inviteId = expect.any(String) as string
  const fields = { inviteId, status: null, challengeUrl, expiresAt: null, emailSent: null }
  expect(await client.invites.create({ quizId: QUIZ, candidate })).toEqual(fields)
  const created = await client.packageInvites.create({ packageId: PACKAGE, candidate })
  expect(created).toMatchObject({ packageId: PACKAGE, packageName: null })
  for (const invite of created.invites) {
    expect(invite).toEqual({ ...fields, quizId: expect.any(String) as string, skillName: null, level: null })
  }
  expect(mock.invites).toHaveLength(1 + created.invites.length)
})

/* A service that returns this data. */
function serving(data: object) {
  const fetch = async () => Response.json({ data })
  return new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'key', fetch })
}

test('a missing descriptive field becomes null', async () => {
  const developerCreateCertificationInvite = { inviteId: 'inv_absent', challengeUrl: 'https://x.example/absent' }
  const invite = await serving({ developerCreateCertificationInvite }).invites.create({ quizId: 'q', candidate })
  expect(invite).toEqual({ ...developerCreateCertificationInvite, status: null, expiresAt: null, emailSent: null })
})

test('one null description does not hide the other tracks, and a duration may be any number', async () => {
  const skill = {
    quizId: 'q',
    skillName: 'S',
    level: 'X',
    enabledLanguages: [],
    conceptsTested: [],
    durationMinutes: 7.5,
  }
  const pack = { id: 'p', name: 'P', level: 'X', description: null, skills: [skill] }
  const developerCertificationPackageTracks = [{ id: 't', name: 'T', slug: 's', packages: [pack] }]
  expect(await serving({ developerCertificationPackageTracks }).tracks.list()).toEqual(
    developerCertificationPackageTracks,
  )
})

test.each<[string, object, string]>([
  ['no id of the invite', { challengeUrl: 'https://x.example/1' }, 'inviteId'],
  ['no link', { inviteId: 'inv_1' }, 'challengeUrl'],
  ['a link that is null', { inviteId: 'inv_2', challengeUrl: null }, 'challengeUrl'],
  ['a link that is blank', { inviteId: 'inv_b', challengeUrl: ' ' }, 'challengeUrl'],
  ['an id that is empty', { inviteId: '', challengeUrl: 'https://x.example/e' }, 'inviteId'],
  ...[7, '', 'soon', '1', '2030-01-15', '2030-13-15T00:00:00Z', `2030-01-15T00:00:00.${'0'.repeat(99_999)}Z`].map(
    (expiresAt) => {
      const what = `an expiry that is no time, ${String(expiresAt).slice(0, 24)}`
      const invite = { inviteId: 'inv_3', challengeUrl: 'https://x.example/3', expiresAt }
      return [what, invite, 'expiresAt'] satisfies [string, object, string]
    },
  ),
])('a created invite with %s is RESPONSE_UNEXPECTED, and in partial', async (_what, invite, field) => {
  const data = { developerCreateCertificationInvite: invite }
  const error = await failureOf(serving(data).invites.create({ quizId: 'q', candidate }))
  expect(error).toMatchObject({ code: 'RESPONSE_UNEXPECTED', outcome: 'executed', partial: data })
  expect(error.issues.map(({ path }) => path)).toEqual([`developerCreateCertificationInvite.${field}`])
})

test.each([
  '2030-01-15T00:00:00Z',
  '2030-01-15T00:00Z',
  '2030-01-15T01:00:00.123456+01:00',
  '2030-01-15T01:00:00+0100',
  '2030-01-15T00:00:00',
  '2030-01-15 00:00:00',
  '2030-01-15t00:00:00z',
])('%s is a time in ISO 8601: the expiry is returned unchanged', async (expiresAt) => {
  const invite = { inviteId: 'inv_4', challengeUrl: 'https://x.example/4', expiresAt }
  const client = serving({ developerCreateCertificationInvite: invite })
  expect((await client.invites.create({ quizId: 'q', candidate })).expiresAt).toBe(expiresAt)
})

test.each([
  ['skills', [{ id: 't', slug: 's', packages: [{ id: 'p', skills: null }] }]],
  ['packages', [{ id: 't', slug: 's' }]],
  ['slug', [{ id: 't', slug: null, packages: [] }]],
  ['quizId', [{ id: 't', slug: 's', packages: [{ id: 'p', skills: [{}] }] }]],
])('tracks without %s are RESPONSE_UNEXPECTED: callers need it', async (field, developerCertificationPackageTracks) => {
  const error = await failureOf(serving({ developerCertificationPackageTracks }).tracks.list())
  expect(error.code).toBe('RESPONSE_UNEXPECTED')
  expect(error.issues.at(-1)?.path).toMatch(new RegExp(`${field}$`))
})

test('an object that only describes may be null or absent, but nothing else', () => {
  const schema = openObject({
    limits: nullable(openObject({ minutes: nullable(rule<number>(Number.isInteger, 'odd')) })),
  })
  for (const limits of [null, undefined]) expect(validate(schema, { limits })).toEqual({ value: { limits: null } })
  expect(validate(schema, { limits: {} })).toEqual({ value: { limits: { minutes: null } } })
  expect(validate(schema, { limits: { minutes: 'x' } })).toEqual({ issues: [{ path: 'limits.minutes', rule: 'odd' }] })
  expect(validate(schema, { limits: 'none' })).toEqual({ issues: [{ path: 'limits', rule: 'must be an object' }] })
})
