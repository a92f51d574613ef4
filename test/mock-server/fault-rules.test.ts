import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { Fault, FaultRule } from '../../mock-server/generated/contract.ts'
import { OPERATIONS } from '../../mock-server/generated/operations.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, askAs, CREATE, CREATE_PACKAGE, INES, keyOf, PACKAGE, post, QUIZ, TRACKS } from './calls.ts'

const LIST = 'developerCertificationPackageTracks'
const INVITE = 'developerCreateCertificationInvite'
const PACKAGE_INVITE = 'developerCreateCertificationPackageInvite'

/** The status of every fault here, so that a request that it hits can be told from one that passes with 200. */
const HIT = 503

const create = (mock: MockServer, email = INES.email): Promise<number> =>
  statusOf(ask(mock, CREATE, { input: { quizId: QUIZ, candidate: { email } } }))

async function statusOf(answer: Promise<{ status: number }>): Promise<number> {
  return (await answer).status
}

/** A mock that hits every request matching the rule. */
function mockWith(rule: Omit<FaultRule, 'fault'>): MockServer {
  const mock = createMockServer()
  mock.faults.add({ times: Number.POSITIVE_INFINITY, fault: HIT, ...rule })
  return mock
}

test.each([LIST, INVITE, PACKAGE_INVITE] as const)('a rule for %s matches it and nothing else', async (operation) => {
  const mock = mockWith({ operation })
  expect(await statusOf(ask(mock, TRACKS))).toBe(operation === LIST ? HIT : 200)
  expect(await create(mock)).toBe(operation === INVITE ? HIT : 200)
  const input = { packageId: PACKAGE, candidate: INES }
  expect(await statusOf(ask(mock, CREATE_PACKAGE, { input }))).toBe(operation === PACKAGE_INVITE ? HIT : 200)
})

const TWO = `query A { __typename } query B { ${LIST} { id } }`
const SPREAD = `query ($yes: Boolean = true) { ...A } fragment A on Query { ...A2 @include(if: $yes) }
  fragment A2 on Query { ...A3 ...A3 } fragment A3 on Query { ${LIST} { id } }`
const CONDITION = `query ($yes: Boolean!) { __typename ${LIST} @include(if: $yes) { id } }`

test.each<[what: string, status: number, query: string, more?: object]>([
  ['a field with an alias', HIT, `{ other: ${LIST} { id } }`],
  ['inline fragments', HIT, `query ${INVITE} { __typename ... { ... on Query { ${LIST} { id } } } }`],
  ['fragments, included by default', HIT, SPREAD],
  ['fragments that are not included', 200, SPREAD, { variables: { yes: false } }],
  ['the operation that lists, of two', HIT, TWO, { operationName: 'B' }],
  ['the other operation of two', 200, TWO, { operationName: 'A' }],
  ['two operations without a name', 200, TWO],
  ['a field that is included', HIT, CONDITION, { variables: { yes: true } }],
  ['a field that is not included', 200, CONDITION, { variables: { yes: false } }],
  ['a condition of the wrong type', 200, CONDITION, { variables: { yes: 'of the wrong type' } }],
  ['an operation of that name', 200, `query ${LIST} { __typename }`],
  ['a field that is skipped', 200, `{ __typename @skip(if: false) ${LIST} @skip(if: true) { id } }`],
  ['an alias of that name', 200, `{ ${LIST}: __typename }`],
  ['an invalid document', 200, `{ ${LIST} { nonsense } }`],
  ['no document', 200, `{ ${LIST} `],
])('a rule matches the selected fields, not names: %s gets %i', async (_what, status, query, more) => {
  const mock = mockWith({ operation: LIST })
  expect(await statusOf(post(mock, JSON.stringify({ query, ...more })))).toBe(status)
})

test('a rule for an e-mail address matches creates for this candidate, wherever the address stands', async () => {
  const mock = mockWith({ email: ' INES.Duarte@candidate.test' })
  const inline = (email: string): string =>
    `mutation { ${INVITE}(input: { quizId: "${QUIZ}", candidate: { email: "${email}" } }) { status } }`
  const candidate = `mutation ($email: String = "${INES.email}") {
    ${PACKAGE_INVITE}(input: { packageId: "${PACKAGE}", candidate: { email: $email } }) { packageId } }`
  expect(await create(mock)).toBe(HIT)
  expect(await statusOf(ask(mock, inline(INES.email)))).toBe(HIT)
  expect(await statusOf(ask(mock, candidate))).toBe(HIT)
  expect(await create(mock, 'other@candidate.test')).toBe(200)
  expect(await statusOf(ask(mock, inline('other@candidate.test')))).toBe(200)
  expect(await statusOf(ask(mock, candidate, { email: 'other@candidate.test' }))).toBe(200)
  expect(await statusOf(ask(mock, candidate, { email: null }))).toBe(200)
  expect(await statusOf(ask(mock, TRACKS, { search: INES.email }))).toBe(200)
})

test('an e-mail address is compared by the candidateIdentity switch', async () => {
  const mock = createMockServer({ behaviour: { candidateIdentity: 'exact-email' } })
  mock.faults.add({ email: INES.email, fault: HIT })
  expect(await create(mock, INES.email.toUpperCase())).toBe(200)
  expect(await create(mock)).toBe(HIT)
})

test('an operation and an e-mail address must match the same field', async () => {
  const mock = mockWith({ operation: PACKAGE_INVITE, email: INES.email })
  const both = (one: string, other: string): string => `mutation {
    ${INVITE}(input: { quizId: "${QUIZ}", candidate: { email: "${one}" } }) { status }
    ${PACKAGE_INVITE}(input: { packageId: "${PACKAGE}", candidate: { email: "${other}" } }) { packageId } }`
  expect(await statusOf(ask(mock, both(INES.email, 'other@candidate.test')))).toBe(200)
  expect(await statusOf(ask(mock, both('other@candidate.test', INES.email)))).toBe(HIT)
})

test('a rule for a key matches requests with the key of that name', async () => {
  const mock = mockWith({ key: 'read' })
  const statuses = ['read', 'full'].map((name) => statusOf(askAs(mock, { 'x-api-key': keyOf(mock, name) }, TRACKS)))
  expect(await Promise.all(statuses)).toEqual([HIT, 200])
  expect(await statusOf(askAs(mock, { 'x-api-key': 'read' }, TRACKS))).toBe(200)
  expect(await statusOf(askAs(mock, {}, TRACKS))).toBe(200)
})

test('a rule without conditions matches every POST and GET to the endpoint, unparseable ones too', async () => {
  const mock = mockWith({})
  for (const body of ['', '[]', '{"query":"{"}', ' '.repeat(1024 * 1024 + 1)]) {
    expect(await statusOf(post(mock, body))).toBe(HIT)
  }
  expect(await statusOf(post(mock, '{}', { 'content-type': 'text/plain' }))).toBe(HIT)
  expect((await mock.fetch(mock.endpoint)).status).toBe(503)
  expect((await mock.fetch(mock.endpoint, { method: 'PUT' })).status).toBe(405)
  expect((await mock.fetch(`${mock.baseUrl}/elsewhere`, { method: 'POST' })).status).toBe(404)
})

test('a rule for an operation ignores requests that the service cannot read', async () => {
  const mock = mockWith({ operation: LIST })
  const body = JSON.stringify({ query: TRACKS })
  expect(await statusOf(post(mock, body, { 'content-type': 'text/plain' }))).toBe(415)
  expect(await statusOf(post(mock, `[${body}]`))).toBe(400)
})

const statusesOf = async (mock: MockServer, count: number): Promise<number[]> => {
  const statuses: number[] = []
  while (statuses.length < count) statuses.push(await create(mock))
  return statuses
}

test.each<[FaultRule, number[]]>([
  [{ fault: 502 }, [502, 200, 200]],
  [{ fault: 502, times: 2 }, [502, 502, 200]],
  [{ fault: 502, times: Number.POSITIVE_INFINITY }, [502, 502, 502, 502]],
  [{ script: [503, 'ok', 504] }, [503, 200, 504, 200]],
])('the rule $0 produces $1', async (rule, statuses) => {
  const mock = createMockServer()
  mock.faults.add(rule)
  expect(await statusesOf(mock, statuses.length)).toEqual(statuses)
  expect(mock.invites).toHaveLength(statuses.filter((status) => status === 200).length)
})

test('a rule does not count requests that it does not match', async () => {
  const mock = createMockServer()
  mock.faults.add({ operation: INVITE, script: ['ok', HIT] })
  await ask(mock, TRACKS)
  expect(await create(mock)).toBe(200)
  await ask(mock, TRACKS)
  expect(await create(mock)).toBe(HIT)
})

test('the first matching rule with hits left decides alone, even if it lets the request pass', async () => {
  const mock = createMockServer()
  mock.faults.add({ operation: LIST, fault: 500 })
  mock.faults.add({ operation: INVITE, script: ['ok', 502] })
  mock.faults.add({ fault: 504, times: 2 })
  expect(await statusesOf(mock, 5)).toEqual([200, 502, 504, 504, 200])
})

test('a rule reports its hits and what is left, and can be removed', async () => {
  const mock = createMockServer()
  const script: (Fault | 'ok')[] = ['ok', 503, 504]
  const first = mock.faults.add({ operation: INVITE, script })
  const second = mock.faults.add({ phase: 'after', fault: 502, times: Number.POSITIVE_INFINITY })
  script.length = 0
  await statusesOf(mock, 2)
  expect([first.hits, second.hits]).toEqual([1, 0])
  expect(mock.faults.list()).toEqual([
    { id: 'fault_1', operation: INVITE, phase: 'before', script: ['ok', 503, 504], hits: 1, left: 1 },
    {
      id: 'fault_2',
      phase: 'after',
      fault: 502,
      times: Number.POSITIVE_INFINITY,
      hits: 0,
      left: Number.POSITIVE_INFINITY,
    },
  ])
  first.remove()
  first.remove()
  expect(await create(mock)).toBe(502)
  expect(mock.faults.list()).toHaveLength(1)
  mock.faults.clear()
  expect(await create(mock)).toBe(200)
  expect([mock.faults.list(), first.hits, second.hits]).toEqual([[], 1, 1])
})

test.each<[unknown, string]>([
  [null, 'this must be an object'],
  [{}, 'exactly one of fault and script'],
  [{ fault: 503, script: [503] }, 'exactly one of fault and script'],
  [{ fault: 503, opration: INVITE, chance: 1 }, 'a rule has no opration, chance'],
  [{ fault: 503, operation: 'CreateInvite' }, `operation must be ${OPERATIONS.join(', ')}`],
  [{ fault: 503, key: 'ful' }, 'key is the name of a key: full, read, invite, none'],
  [{ fault: 503, times: 1.5 }, 'times must be a whole number'],
  [{ script: [503], times: 2 }, 'times goes with fault'],
  [{ script: [] }, 'script must have a length of at least 1'],
  [{ script: ['ok', 'explode'] }, '"explode" is not a fault'],
  [{ fault: 600 }, 'fault must be at most 599'],
  [{ fault: { status: 101 } }, 'fault.status must be at least 200'],
  [{ fault: { delayMs: 2 ** 31 } }, 'fault.delayMs must be at most 2147483647'],
  [{ script: [{ delayMs: 1e15 }] }, 'script[0].delayMs must be at most 2147483647'],
  [{ fault: { status: 503, retryAfter: 2 } }, 'a response has no retryAfter'],
  [{ fault: { status: 204, body: 'x' } }, 'a response with status 204 has no body'],
  [{ fault: { status: 503, headers: { 'retry-after': 2 } } }, 'fault.headers.retry-after must be a string'],
  [{ fault: { status: 503, headers: { a: 'b\r\nc: d' } } }, '"a" is not a header'],
  [{ fault: { status: 503, headers: { 'Content-Length': '5' } } }, '"Content-Length" is not a header'],
  [{ fault: { code: 'A', status: 200 } }, 'a response has no code'],
  [{ fault: { code: 'A', data: 'result' } }, 'no result before the effect'],
  [{ phase: 'before', script: ['ok', { code: 'A', data: 'result' }] }, 'no result before the effect'],
])('the rule $0 is refused: $1', (rule, problem) => {
  const mock = createMockServer()
  expect(() => mock.faults.add(rule as FaultRule)).toThrow(problem)
  expect(mock.faults.list()).toEqual([])
})
