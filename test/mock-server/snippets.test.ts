import { expect, test } from 'vitest'
import { cliCommand, sdkCode } from '../../mock-server/pages/assets/snippets.js'
import { CREATE, QUIZ } from './calls.ts'

/* What the page makes of a request: code and commands that send the same. */

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
