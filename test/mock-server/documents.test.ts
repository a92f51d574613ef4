import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, askAs, INES, PACKAGE, post, QUIZ, refusalIn } from './calls.ts'

test('aliases, fragments, directives and defaults of variables work', async () => {
  const mock = createMockServer()
  const { body } = await ask(
    mock,
    `query ($slug: String = "sql", $withPackages: Boolean = false) {
      first: developerCertificationPackageTracks(trackSlug: $slug) { ...Name packages @include(if: $withPackages) { id } }
      second: developerCertificationPackageTracks(search: "expert") { ...Name __typename }
    }
    fragment Name on CertificationPackageTrack { called: name }`,
  )
  expect(body).toEqual({
    data: {
      first: [{ called: 'SQL' }],
      second: [{ called: 'React', __typename: 'CertificationPackageTrack' }],
    },
  })
})

test('arguments may stand in the document itself', async () => {
  const mock = createMockServer()
  const { body } = await ask(
    mock,
    `mutation { developerCreateCertificationPackageInvite(input: {
      packageId: "${PACKAGE}", candidate: { email: "${INES.email}" }, sendInviteEmail: false
    }) { invites { emailSent } } }`,
  )
  expect(body?.data).toEqual({
    developerCreateCertificationPackageInvite: { invites: Array.from({ length: 3 }, () => ({ emailSent: false })) },
  })
})

const create = (email: string): string =>
  `developerCreateCertificationInvite(input: { quizId: "${QUIZ}", candidate: { email: "${email}" } }) { inviteId }`

test('several mutations in one request are executed in order', async () => {
  const mock = createMockServer()
  await ask(mock, `mutation { a: ${create('a@candidate.test')} b: ${create('b@candidate.test')} }`)
  expect(mock.invites.map(({ candidate }) => candidate.email)).toEqual(['a@candidate.test', 'b@candidate.test'])
})

test('operationName chooses among several operations, whatever their names and order', async () => {
  const mock = createMockServer()
  const query = `query Sql { developerCertificationPackageTracks(trackSlug: "sql") { slug } }
    query React { developerCertificationPackageTracks(trackSlug: "react") { slug } }`
  for (const [operationName, slug] of [
    ['React', 'react'],
    ['Sql', 'sql'],
  ]) {
    const { body } = await post(mock, JSON.stringify({ query, operationName }))
    expect(body?.data).toEqual({ developerCertificationPackageTracks: [{ slug }] })
  }
  for (const operationName of [undefined, null, '', 'Cobol']) {
    const answer = await post(mock, JSON.stringify({ query, operationName }))
    expect(refusalIn(answer)[0]).toBe('OPERATION_RESOLUTION_FAILURE')
  }
})

test('introspection tells the schema, and needs no key', async () => {
  const { body } = await askAs(createMockServer(), {}, getIntrospectionQuery())
  const schema = buildClientSchema(body?.data as unknown as IntrospectionQuery)
  expect(Object.keys(schema.getMutationType()?.getFields() ?? {})).toEqual([
    'developerCreateCertificationInvite',
    'developerCreateCertificationPackageInvite',
  ])
})

test.each([
  ['{', 'GRAPHQL_PARSE_FAILED'],
  ['', 'GRAPHQL_PARSE_FAILED'],
  ['{ nonsense }', 'GRAPHQL_VALIDATION_FAILED'],
  ['{ developerCertificationPackageTracks { id } } { __typename }', 'GRAPHQL_VALIDATION_FAILED'],
  ['query ($a: Nonsense) { __typename }', 'GRAPHQL_VALIDATION_FAILED'],
])('the document %j is %s, and nothing is executed', async (query, code) => {
  const { status, body } = await ask(createMockServer(), query)
  expect(status).toBe(200)
  expect(body).not.toHaveProperty('data')
  expect(body?.errors?.[0]?.extensions?.code).toBe(code)
})

test('a document is answered the same way again after hundreds of others', async () => {
  const mock = createMockServer()
  const first = await ask(mock, '{ developerCertificationPackageTracks { id } }')
  for (let index = 0; index < 300; index += 1) await ask(mock, `{ a${index}: __typename }`)
  expect((await ask(mock, '{ developerCertificationPackageTracks { id } }')).text).toBe(first.text)
  expect((await ask(mock, '{ nonsense }')).text).toBe((await ask(mock, '{ nonsense }')).text)
})

test('an answer holds exactly what was asked for', async () => {
  const mock = createMockServer()
  const { text } = await ask(mock, '{ developerCertificationPackageTracks(trackSlug: "sql") { id } }')
  expect(text).toBe('{"data":{"developerCertificationPackageTracks":[{"id":"trk_sql"}]}}')
})
