import { expect, test } from 'vitest'
import { z } from 'zod/mini'
import { defineOperation } from '../../src/operations/operation.ts'
import { readOptions } from '../../src/options.ts'
import { call } from '../../src/transport/call.ts'
import { systemClock } from '../../src/clock.ts'
import { failureOf } from './failing.ts'

/* An operation that the service does not have: none of those that it has may return null. */
function operationOf(kind: 'query' | 'mutation', isNullable: boolean) {
  const result = z.object({ name: z.string() })
  const data = z.object({ thing: isNullable ? z.nullable(result) : result })
  return defineOperation({
    name: 'things.get',
    kind,
    field: 'thing',
    scope: 'CERTIFICATION_PACKAGE_READ',
    document: `${kind} { thing { name } }`,
    input: () => z.object({}),
    variables: () => ({}),
    data: () => data,
  })
}

const settings = readOptions({
  baseUrl: 'https://certify.test',
  apiKey: 'key',
  retry: false,
  fetch: async () => new Response('{"data":{"thing":null}}', { headers: { 'content-type': 'application/json' } }),
})
const run = (kind: 'query' | 'mutation', isNullable: boolean) =>
  call(operationOf(kind, isNullable), {}, {}, settings, systemClock)

test('the result of a query is null where its schema allows it', async () => {
  expect(await run('query', true)).toEqual({ thing: null })
})

test('the result of a query that must not be null is unexpected', async () => {
  expect(await failureOf(run('query', false))).toMatchObject({ code: 'RESPONSE_UNEXPECTED', outcome: 'not-executed' })
})

test('null for a create proves nothing, whatever its schema allows', async () => {
  expect(await failureOf(run('mutation', true))).toMatchObject({ code: 'RESPONSE_UNEXPECTED', outcome: 'unknown' })
})
