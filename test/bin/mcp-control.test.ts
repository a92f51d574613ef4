import { expect, test } from 'vitest'
import type { Io } from '../../bin/io.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ada, create, dataOf, startAgent } from './agent.ts'
import { quizId, packageId } from './run.ts'

const other = 'quiz_javascript_beginner'

test('the confirmation in the client shows exactly what is sent', async () => {
  const asked: string[] = []
  const answer = ({ message }: { readonly message: string }) => {
    asked.push(message)
    return { action: 'accept' as const, content: { send: true } }
  }
  const { plan, ok, mock } = await startAgent({ answer })
  const zoe = { ...ada, name: 'Zoë\u200d "漢"', externalReference: 'req 7', sendEmail: false }
  await ok(create, { planId: await plan(zoe, { email: 'b@example.com', packageId }, zoe) })
  const [question = '', ...rows] = asked.flatMap((each) => each.split('\n'))
  expect(question).toContain(`${mock.baseUrl}, account default`)
  expect(rows).toEqual([
    `- to ${zoe.email}, name "Zoë\\u200d \\"漢\\"": "State and Events (BEGINNER)" (${quizId}), external reference "req 7", without e-mail`,
    expect.stringMatching(/^- to b@example\.com: ".+" \(pkg_react_beginner\), 3 invites, with e-mail$/),
  ])
  const [{ candidate, externalReference } = {}] = mock.invites
  expect([candidate?.name, externalReference, mock.invites.length]).toEqual([zoe.name, 'req 7', 4])
})

test.each([
  ['declines', { action: 'decline' as const }, 'DECLINED', 'PLAN_NOT_FOUND'],
  [
    'leaves the box unticked',
    { action: 'accept' as const, content: { send: false } },
    'NOT_CONFIRMED',
    'NOT_CONFIRMED',
  ],
  ['sends an empty form', { action: 'accept' as const, content: {} }, 'NOT_CONFIRMED', 'NOT_CONFIRMED'],
  ['dismisses the question, and is asked again', { action: 'cancel' as const }, 'NOT_CONFIRMED', 'NOT_CONFIRMED'],
])('nothing is sent if the person %s', async (_does, answered, code, later) => {
  const { plan, error, mock, hasLedger } = await startAgent({ answer: () => answered })
  const planId = await plan(ada)
  expect(await error(create, { planId })).toMatchObject({ code, outcome: 'not-executed' })
  expect(await error(create, { planId })).toMatchObject({ code: later })
  expect([mock.invites, hasLedger()]).toEqual([[], false])
})

test('a plan that changed during the confirmation is not sent', async () => {
  const agent = await startAgent({
    answer: async () => {
      await agent.certify(['invites', 'create', '--quiz-id', quizId, '--email', ada.email])
      return { action: 'accept', content: { send: true } }
    },
  })
  const planId = await agent.plan(ada, { ...ada, quizId: other })
  expect(await agent.error(create, { planId })).toMatchObject({ code: 'PLAN_CHANGED', outcome: 'not-executed' })
  expect(await agent.error(create, { planId })).toMatchObject({ code: 'PLAN_NOT_FOUND' })
  expect(agent.mock.invites).toHaveLength(1)
})

test.each([
  ['cannot ask', null],
  ['can ask', () => Promise.reject(new Error('asked'))],
])('--yes sends without confirmation if the client %s', async (_can, answer) => {
  const { plan, ok, mock } = await startAgent({ flags: ['--yes'], answer })
  await ok(create, { planId: await plan(ada) })
  expect(mock.invites).toHaveLength(1)
})

test.each([
  ['name', 'Ann\u202ecod.exe', 'name has a control of the writing direction, U+202E at position 4'],
  ['name', 'Ann\u001b[2J', 'name has a control character, U+001B at position 4'],
  ['name', 'x'.repeat(5000), 'name is longer than 200 characters'],
  ['externalReference', 'a\nb', 'externalReference has a control character, U+000A at position 2'],
  ['quizId', 'q\u2066', 'quizId has a control of the writing direction, U+2066 at position 2'],
  ['email', 'a\u202e@example.com', 'email has a control of the writing direction, U+202E at position 2'],
])('a %s that would be displayed differently from what is sent is refused: $1', async (field, value, problem) => {
  const { ok } = await startAgent()
  const { planId, rows } = await ok('plan_invites', { invites: [{ ...ada, [field]: value }] })
  expect([planId, rows[0].status, rows[0].problems]).toEqual([undefined, 'invalid', [problem]])
})

test.each([
  ['may not list packages', 'invite', packageId],
  ['does not see the package in the listing', 'full', 'pkg_unlisted'],
])('a key that %s cannot plan a package, whose number of invites is unknown', async (_may, named, wanted) => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const { key = '' } = mock.apiKeys.find(({ name }) => name === named) ?? {}
  const { error } = await startAgent({ mock, env: { CERTIFY_API_KEY: key }, flags: ['--max-invites', '5'] })
  expect(await error('plan_invites', { invites: [{ email: ada.email, packageId: wanted }, ada] })).toMatchObject({
    code: 'PLAN_TOO_LARGE',
    message: expect.stringContaining('does not list a package of this plan'),
  })
})

test.each(['the end of stdin', 'a signal', 'the cancellation of the call'])(
  '%s starts no further create, and lets the one in progress finish and be recorded',
  async (how) => {
    const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
    const cancelling = new AbortController()
    let end = () => {}
    const fetch: Io['fetch'] = async (url, init) => {
      const response = await mock.fetch(url, init)
      if (!init.body.includes('CreateCertificationInvite')) return response
      end()
      /* The server notices the end before the response arrives. */
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      return response
    }
    const agent = await startAgent({ mock, fetch })
    const planId = await agent.plan(ada, { ...ada, quizId: other })
    if (how === 'a signal') end = agent.interrupt
    else end = how === 'the end of stdin' ? () => void agent.stdin.end() : () => cancelling.abort()
    const first = await agent.call(create, { planId }, cancelling.signal).catch(String)
    /* A cancelled call has no result; repeating it returns one. */
    const result = typeof first === 'string' ? await agent.call(create, { planId }) : first
    expect([typeof first === 'string', dataOf(result)]).toMatchObject([
      how === 'the cancellation of the call',
      {
        rows: [{ status: 'created' }, { status: 'not_started', message: expect.stringContaining('Make a new plan') }],
      },
    ])
    agent.stdin.end()
    expect([await agent.ended, mock.invites.length]).toEqual([0, 1])
    const { stdout } = await agent.certify(['invites', 'list', '--state', 'created', '--json'])
    expect(JSON.parse(stdout)).toMatchObject([{ email: ada.email, quizId }])
  },
)

test('a create has 20 seconds, because clients end a call after a minute', async () => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const limits: unknown[] = []
  const fetch: Io['fetch'] = (url, init) => {
    if (init.body.includes('CreateCertificationInvite')) limits.push(init.timeoutMs)
    return mock.fetch(url, init)
  }
  const agent = await startAgent({ mock, fetch })
  await agent.call(create, { planId: await agent.plan(ada) })
  expect(limits).toEqual([20_000])
})

test('an unanswered confirmation does not keep the server running', async () => {
  let asked = () => {}
  const question = new Promise<void>((resolve) => {
    asked = resolve
  })
  const agent = await startAgent({
    answer: () => {
      asked()
      return new Promise(() => {})
    },
  })
  void agent.call(create, { planId: await agent.plan(ada) }).catch(() => {})
  await question
  agent.stdin.end()
  expect(await agent.ended).toBe(0)
  expect(agent.mock.invites).toEqual([])
})
