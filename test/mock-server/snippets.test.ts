import { parse, print, stripIgnoredCharacters } from 'graphql'
import { describe, expect, test } from 'vitest'
import { SDL } from '../../mock-server/api/schema.ts'
import { formatGraphql } from '../../mock-server/pages/kit/assets/graphql-text.js'
import { cliCommand, sdkCode } from '../../mock-server/pages/assets/snippets.js'
import { CREATE as SENT, CREATE_PACKAGE } from '../../mock-server/pages/examples.ts'
import { CREATE, QUIZ } from './calls.ts'

/* What the page makes of a request: code and commands that send the same, and a readable document. */

const request = (input: object, query: string = CREATE) => ({
  url: 'http://127.0.0.1:4010/api/developer/graphql',
  headers: { 'x-api-key': 'ck_1' },
  body: JSON.stringify({ query, variables: { input } }),
})
const input = { quizId: QUIZ, candidate: { name: "Ada O'Hara", email: 'ada@example.com' }, sendInviteEmail: false }

test('the SDK code makes the same call, with a ledger', () => {
  expect(sdkCode(request(input))).toBe(`import { CertifyClient } from 'certify-sdk'
import { openLedger } from 'certify-sdk/ledger'

const ledger = await openLedger('invites.ledger')
const client = new CertifyClient({
  baseUrl: 'http://127.0.0.1:4010',
  apiKey: 'ck_1',
  ledger,
})
const result = await client.invites.create({
  quizId: 'quiz_react_beginner_state',
  candidate: {
    name: 'Ada O\\'Hara',
    email: 'ada@example.com',
  },
  sendInviteEmail: false,
}, {
  reference: 'hire-4711',
})
console.log(result)`)
})

test('the CLI command makes the same call', () => {
  expect(cliCommand(request(input))).toBe(`export CERTIFY_BASE_URL=http://127.0.0.1:4010
export CERTIFY_API_KEY=ck_1
npx certify-sdk invites create \\
  --quiz-id quiz_react_beginner_state \\
  --email ada@example.com \\
  --name 'Ada O'\\''Hara' \\
  --no-send-email`)
})

test.each([
  ['a document of another kind', { ...request(input), body: '{"query":"{ __typename }"}' }],
  ['two operations in one document', request(input, `${CREATE} ${CREATE}`)],
  ['an input that is written in the document', { ...request(input), body: JSON.stringify({ query: CREATE }) }],
  ['a body that is not JSON', { ...request(input), body: '{' }],
])('there is no code or command for %s', (_what, sent) => {
  expect([sdkCode(sent), cliCommand(sent)]).toEqual([null, null])
})

describe('a formatted document', () => {
  const documents = [
    SENT,
    CREATE_PACKAGE,
    'query A($a: [Int!]! = [1 2], $b: X = {k: "v"}) { x: f(a: $a, b: {c: 1, d: [true]}) @include(if: $a) { ...F ... on T { id } } } fragment F on T { on }',
    '# a comment\n{ a # another\n b(text: """block { """) }',
  ]

  test.each(documents)('means the same, and formatting is idempotent: %s', (document) => {
    const formatted = formatGraphql(document)
    expect(print(parse(formatted))).toBe(print(parse(document)))
    expect(formatGraphql(formatted)).toBe(formatted)
  })

  test('has one field per line', () => {
    expect(formatGraphql('{tracks(search:"x" slug:null){id,name}}')).toBe(
      '{\n  tracks(search: "x", slug: null) {\n    id\n    name\n  }\n}',
    )
    expect(formatGraphql(stripIgnoredCharacters(SENT))).toBe(SENT)
  })

  test('keeps its comments', () => {
    expect(formatGraphql('# all\n{ a }')).toBe('# all\n{\n  a\n}')
  })

  test('that does not parse only gets other white space', () => {
    const broken = `${SDL} { ( "`
    expect(formatGraphql(broken).replaceAll(/[\s,]/g, '')).toBe(broken.trim().replaceAll(/[\s,]/g, ''))
  })
})
