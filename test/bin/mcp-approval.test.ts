import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ada, create, startAgent } from './agent.ts'
import { quizId } from './run.ts'

const other = 'quiz_javascript_beginner'
const person = { terminal: 100, answers: ['y'], env: { NO_COLOR: '1' } }
const revisions = ['2025-11-25', '2026-07-28'] as const

test.each(revisions)('%s: a client that can ask confirms a plan with one action of a person', async (revision) => {
  let asked = 0
  const answer = () => {
    asked += 1
    return { action: 'accept' as const, content: { send: true } }
  }
  const { client, plan, ok, mock } = await startAgent({ revision, answer })
  expect(client.getNegotiatedProtocolVersion()).toBe(revision)
  expect(client.getInstructions()).toContain('First plan_invites')
  const planId = await plan(ada)
  const first = await ok(create, { planId })
  expect(await ok(create, { planId })).toEqual(first)
  expect([asked, mock.invites.length]).toEqual([1, 1])
})

test.each(revisions)('%s: a client that cannot ask needs an approval at a terminal', async (revision) => {
  const { plan, ok, error, certify, mock, hasLedger } = await startAgent({ revision, answer: null })
  const planId = await plan(ada)
  expect(await error(create, { planId })).toMatchObject({
    code: 'CONFIRMATION_UNAVAILABLE',
    outcome: 'not-executed',
    hint: expect.stringContaining(`certify approve ${planId}`),
  })
  expect([mock.invites, hasLedger()]).toEqual([[], false])
  const { code, stderr, stdout } = await certify(['approve', planId], person)
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toContain(`- to ada@example.com, name "Ada": "State and Events (BEGINNER)" (${quizId}), with e-mail`)
  expect((await ok(create, { planId })).message).toBe('1 of 1 were created.')
  expect(mock.invites).toHaveLength(1)
})

test.each(revisions)('%s: a call cannot answer a question that was not asked', async (revision) => {
  const { plan, client, mock } = await startAgent({ revision, answer: () => ({ action: 'cancel' }) })
  const planId = await plan(ada)
  for (const requestState of [undefined, 'made-up'])
    await client
      .callTool({
        name: create,
        arguments: { planId },
        inputResponses: { send: { action: 'accept', content: { send: true } } },
        ...(requestState !== undefined && { requestState }),
      } as never)
      .catch(() => {})
  expect(mock.invites).toEqual([])
})

test.each(revisions)('%s: a plan and its approval survive a restart of the server', async (revision) => {
  const { plan, runner, certify, stdin, ended, mock } = await startAgent({ revision, answer: null })
  const planId = await plan(ada)
  stdin.end()
  await ended
  expect((await certify(['approve', planId], person)).code).toBe(0)
  const restarted = await startAgent({ revision, answer: null, runner })
  expect((await restarted.ok(create, { planId })).message).toBe('1 of 1 were created.')
  const third = await startAgent({ revision, answer: null, runner })
  expect(await third.error(create, { planId })).toMatchObject({ code: 'PLAN_NOT_FOUND' })
  expect(mock.invites).toHaveLength(1)
})

test('only its owner can read a plan', async () => {
  const { plan, home } = await startAgent()
  const folder = join(home.folder, 'certify/plans')
  const planId = await plan(ada)
  expect(readdirSync(folder)).toEqual([planId])
  expect([statSync(folder).mode & 0o777, statSync(join(folder, planId)).mode & 0o777]).toEqual([0o700, 0o600])
})

test('of two approvals and two servers at once, one sends', async () => {
  const one = await startAgent({ answer: null })
  const two = await startAgent({ answer: null, runner: one.runner })
  const planId = await one.plan(ada, { ...ada, quizId: other })
  await Promise.all([one.certify(['approve', planId], person), one.certify(['approve', planId], person)])
  const results = await Promise.all([one.call(create, { planId }), two.call(create, { planId })])
  expect(results.filter(({ isError }) => isError !== true)).toHaveLength(1)
  expect((await one.certify(['approve', planId], person)).code).toBe(5)
  expect(one.mock.invites).toHaveLength(2)
})

test.each<[what: string, change: (agent: Awaited<ReturnType<typeof startAgent>>) => Promise<unknown>, code: string]>([
  [
    'a create',
    ({ certify }) => certify(['invites', 'create', '--quiz-id', quizId, '--email', ada.email]),
    'PLAN_CHANGED',
  ],
  ['16 minutes', ({ mock }) => mock.clock.advance('16m'), 'CONFIRMATION_UNAVAILABLE'],
  ['a day', ({ mock }) => mock.clock.advance('25h'), 'PLAN_NOT_FOUND'],
])('after %s an approved plan is not sent', async (_what, change, code) => {
  const agent = await startAgent({ answer: null })
  const planId = await agent.plan(ada)
  await agent.certify(['approve', planId], person)
  await change(agent)
  const before = agent.mock.invites.length
  expect(await agent.error(create, { planId })).toMatchObject({ code })
  expect(agent.mock.invites).toHaveLength(before)
})

test.each([
  ['--yes in a pipe', { env: {} }],
  ['the answer n', { ...person, answers: ['n'] }],
  ['an agent that has a terminal', { ...person, env: { CLAUDECODE: '1' } }],
])('%s approves nothing', async (_who, world) => {
  const { plan, certify, error } = await startAgent({ answer: null })
  const planId = await plan(ada)
  const { code, stderr } = await certify(['approve', planId, '--yes'], world)
  expect([code, stderr]).toEqual([2, expect.not.stringContaining('give --yes')])
  expect(await error(create, { planId })).toMatchObject({ code: 'CONFIRMATION_UNAVAILABLE' })
})

test.each(['plan_1', '../ledger.sqlite', 'plan_../../../../ledger.sqlite-0000000000000000'])(
  'no plan is called %s',
  async (id) => {
    const { certify, error } = await startAgent()
    expect((await certify(['approve', id], person)).code).toBe(5)
    expect(await error(create, { planId: id })).toMatchObject({ code: 'PLAN_NOT_FOUND' })
  },
)

const SPOOF = 'Ada Lovelace <ada@example.com>: React (BEGINNER) (q1), with e-mail'
test.each<[what: string, invite: Readonly<Record<string, unknown>>, line: string]>([
  [
    'a name that looks like an address',
    { email: 'mallory@evil.example', name: SPOOF },
    `- to mallory@evil.example, name "${SPOOF}": TITLE, with e-mail, check the name: it has <, as an address has`,
  ],
  [
    'a name that ends its quotation marks',
    { email: 'mallory@evil.example', name: 'Ada": "React" (q1), with e-mail' },
    String.raw`- to mallory@evil.example, name "Ada\": \"React\" (q1), with e-mail": TITLE, with e-mail`,
  ],
  ...Object.entries({
    '\u2800': '\\u2800',
    '\u3164': '\\u3164',
    '\u{1d159}': '\\ud834\\udd59',
    '\u034f': '\\u034f',
  }).map(([blank, escape]): [string, Readonly<Record<string, unknown>>, string] => [
    `a name with ${escape}`,
    { email: 'mallory@evil.example', name: `Ada${blank.repeat(2)}` },
    `- to mallory@evil.example, name "Ada${escape.repeat(2)}": TITLE, with e-mail, check the name: it has U+${(
      blank.codePointAt(0) ?? 0
    )
      .toString(16)
      .toUpperCase()
      .padStart(4, '0')}, which shows nothing`,
  ]),
  [
    'an encoded domain with a letter of another script',
    { email: 'ada@xn--exmple-cua.com' },
    '- to ada@xn--exmple-cua.com (its domain is "exämple.com"): TITLE, with e-mail',
  ],
  [
    'an encoded domain that mixes scripts',
    { email: 'ada@xn--exmple-4nf.com' },
    '- to ada@xn--exmple-4nf.com (its domain is "exаmple.com"): TITLE, with e-mail, check the address: an address mixes Latin and Cyrillic in one label',
  ],
  [
    'a domain in letters',
    { email: 'Ada@BÜCHER.example' },
    '- to "Ada@BÜCHER.example" (its domain is xn--bcher-kva.example): TITLE, with e-mail',
  ],
  [
    'an external reference that looks like the end of the line',
    { email: 'ada@example.com', externalReference: 'r1, with e-mail', sendEmail: false },
    '- to ada@example.com: TITLE, external reference "r1, with e-mail", without e-mail',
  ],
])('a person sees what is sent, address first: %s', async (_what, invite, line) => {
  const { ok, certify } = await startAgent({ answer: null })
  const { planId } = await ok('plan_invites', {
    invites: [
      { quizId, ...invite },
      { ...ada, name: 'x\ny' },
    ],
  })
  const { stderr } = await certify(['approve', planId], person)
  const lines = stderr.split('\n').filter((each) => each.startsWith('- '))
  expect(lines).toEqual([line.replace('TITLE', `"State and Events (BEGINNER)" (${quizId})`)])
})

test('a plan whose file was changed sends what is shown, or nothing', async () => {
  const { plan, ok, error, certify, home, mock } = await startAgent({ answer: null })
  const change = async (from: string, to: string) => {
    const planId = await plan(ada)
    const path = join(home.folder, 'certify/plans', planId)
    const before = readFileSync(path, 'utf8')
    expect(before.split(from)).toHaveLength(2)
    writeFileSync(path, before.replace(from, to))
    const { stderr } = await certify(['approve', planId], person)
    expect(stderr).toContain(to)
    return planId
  }
  await ok(create, { planId: await change(ada.email, 'mallory@evil.example') })
  expect(mock.invites.map(({ candidate }) => candidate.email)).toEqual(['mallory@evil.example'])
  const planId = await change('State and Events', 'Other')
  expect(await error(create, { planId })).toMatchObject({ code: 'PLAN_CHANGED' })
})
