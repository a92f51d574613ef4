import { buildClientSchema, GraphQLError, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { expect, test } from 'vitest'
import { Documents } from '../../mock-server/api/graphql-documents.ts'
import { executionError } from '../../mock-server/api/graphql-errors.ts'
import { schemaFor } from '../../mock-server/api/schema.ts'
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

test('the hundred documents used last are remembered, and no more', () => {
  const documents = new Documents(schemaFor('null'))
  const [kept, dropped] = [documents.checked('{ kept: __typename }'), documents.checked('{ dropped: __typename }')]
  for (let index = 0; index < 99; index += 1) {
    documents.checked(`{ a${index}: __typename }`)
    expect(documents.checked('{ kept: __typename }')).toBe(kept)
  }
  expect(documents.checked('{ dropped: __typename }')).not.toBe(dropped)
  expect(documents.checked('{ dropped: __typename }')).toEqual(dropped)
})

test('a document of more than 4,000 tokens is not parsed', async () => {
  const { body } = await ask(createMockServer(), `{ ${'__typename '.repeat(4000)} }`)
  expect(body?.errors?.[0]).toMatchObject({
    message: expect.stringContaining('4000'),
    extensions: { code: 'GRAPHQL_PARSE_FAILED' },
  })
})

test('the message of a bug inside the mock is not sent', () => {
  const fault = new GraphQLError('a secret', { originalError: new TypeError('a secret'), path: ['field'] })
  expect(executionError(fault)).toEqual({
    code: 'INTERNAL_SERVER_ERROR',
    message: 'Internal server error.',
    path: ['field'],
  })
})

test('an answer has exactly the selected fields', async () => {
  const mock = createMockServer()
  const { text } = await ask(mock, '{ developerCertificationPackageTracks(trackSlug: "sql") { id } }')
  expect(text).toBe('{"data":{"developerCertificationPackageTracks":[{"id":"trk_sql"}]}}')
})

test('a field may be called __proto__ in the answer, and nothing else comes of it', async () => {
  const { text } = await ask(createMockServer(), '{ __proto__: __typename constructor: __typename }')
  expect(text).toBe('{"data":{"__proto__":"Query","constructor":"Query"}}')
})
