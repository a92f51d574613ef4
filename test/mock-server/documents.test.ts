import { buildClientSchema, GraphQLError, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { expect, test } from 'vitest'
import { executionError } from '../../mock-server/api/graphql-endpoint.ts'
import { Documents } from '../../mock-server/api/graphql-request.ts'
import { schemaFor } from '../../mock-server/api/schema.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, askAs } from './calls.ts'

test('introspection returns the schema, and needs no key', async () => {
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
])('the document $0 is $1, and nothing is executed', async (query, code) => {
  const { status, body } = await ask(createMockServer(), query)
  expect(status).toBe(200)
  expect(body).not.toHaveProperty('data')
  expect(body?.errors?.[0]?.extensions?.code).toBe(code)
})

test('the hundred most recently used documents are cached, and no more', () => {
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

test('the message of a bug inside the mock is not exposed', () => {
  const fault = new GraphQLError('a secret', { originalError: new TypeError('a secret'), path: ['field'] })
  expect(executionError(fault)).toEqual({
    code: 'INTERNAL_SERVER_ERROR',
    message: 'Internal server error.',
    path: ['field'],
  })
})
