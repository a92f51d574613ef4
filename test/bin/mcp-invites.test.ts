import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { ada, create, dataOf, startAgent, type Structured } from './agent.ts'
import { createRunner, LOST, packageId, quizId } from './run.ts'

const other = 'quiz_javascript_beginner'
const secret = 'a secret of thirty-two characters'

test('a plan shows exactly what would be sent and to whom, and sends and records nothing', async () => {
  const { ok, mock, home, hasLedger } = await startAgent()
  const single = { ...ada, externalReference: 'req-7', sendEmail: false }
  const pack = { email: 'b@example.com', packageId }
  const { planId, message, ...outline } = await ok('plan_invites', { invites: [single, pack] })
  expect(planId).toMatch(/^plan_/)
  expect(message).toContain('2 of 2 rows would be sent. Nothing was sent.')
  const quizIds = ['quiz_react_beginner_components', quizId, 'quiz_javascript_beginner']
  expect(outline).toEqual({
    service: mock.baseUrl,
    account: 'default',
    ledger: home.ledger,
    rows: [
      { ...single, row: 1, status: 'planned', title: 'State and Events (BEGINNER)' },
      { ...pack, row: 2, status: 'planned', title: expect.stringContaining('(BEGINNER)'), invites: 3, quizIds },
    ],
  })
  expect([mock.invites, mock.outbox, hasLedger()]).toEqual([[], [], false])
})

test('a plan marks invalid and duplicate rows, and names the fields of its own input', async () => {
  const { ok } = await startAgent()
  const both = 'quizId or packageId is required, and not both'
  const invites = [
    ada,
    ada,
    { email: 'no address', quizId },
    { ...ada, packageId },
    { email: ada.email },
    { email: ada.email, packageId, externalReference: 'req-7' },
  ]
  const { rows, message } = await ok('plan_invites', { invites })
  expect(message).toContain('1 of 6 rows would be sent')
  expect(rows).toMatchObject([
    { status: 'planned' },
    { status: 'duplicate', meaning: expect.stringContaining('An earlier row') },
    { status: 'invalid', problems: [expect.stringMatching(/^email must be a valid e-mail address/)] },
    { status: 'invalid', problems: [both] },
    { status: 'invalid', problems: [both] },
    { status: 'invalid', problems: [expect.stringMatching(/^externalReference /)] },
  ])
})

test('doubts about a valid invite are in the plan and in the confirmation', async () => {
  const asked: string[] = []
  const answer = async ({ message }: { readonly message: string }) => {
    asked.push(message)
    return { action: 'decline' as const }
  }
  const { ok, error } = await startAgent({ answer })
  const invites = [{ ...ada, email: 'ada@gmial.com' }, { ...ada, quizId: 'quiz_made_up' }, ada]
  const { planId, rows } = await ok('plan_invites', { invites })
  const problems = ['check the address: gmial.com (gmail.com?)', 'the service does not list this quizId']
  expect(rows.map((row: Structured) => row.problems)).toEqual([[problems[0]], [problems[1]], undefined])
  await error(create, { planId })
  for (const problem of problems) expect(asked[0]).toContain(`, with e-mail, ${problem}\n`)
})

test('a candidate who is recorded under another account is not planned', async () => {
  const { certify, mock, home } = createRunner()
  const flags = ['--ledger', home.ledger, '--account', 'acme-production']
  await certify(['invites', 'create', '--quiz-id', quizId, '--email', ada.email, ...flags])
  const { error } = await startAgent({ mock, flags: flags.slice(0, 2) })
  expect(await error('plan_invites', { invites: [ada] })).toMatchObject({ code: 'ACCOUNT_DIFFERS' })
  const named = await startAgent({ mock, flags })
  const { planId, rows } = await named.ok('plan_invites', { invites: [ada] })
  expect([planId, rows]).toMatchObject([undefined, [{ status: 'already_invited' }]])
})

test('planned invites are created and recorded, and their links are masked', async () => {
  const { plan, ok, mock, certify } = await startAgent()
  const { rows, message } = await ok(create, { planId: await plan(ada, { email: 'b@example.com', packageId }) })
  expect(message).toBe('2 of 2 were created.')
  expect(rows).toMatchObject([
    { row: 1, status: 'created', email: ada.email, quizId, invites: [{ emailSent: true }] },
    { row: 2, status: 'created', packageId, invites: [{}, {}, {}] },
  ])
  expect(mock.invites.map((each) => each.candidate)).toMatchObject([{ name: 'Ada' }, {}, {}, {}])
  expect(rows[0].invites[0].challengeUrl).toMatch(/^https:\/\/[^/]+\/….{4}$/)
  const { stdout } = await certify(['invites', 'view', rows[0].reference, '--show-links', '--json'])
  const { challengeUrl } = mock.invites[0] ?? {}
  expect(JSON.parse(stdout)).toMatchObject({ state: 'created', challengeUrl, email: ada.email })
})

test('--show-links shows complete links', async () => {
  const { plan, ok, mock } = await startAgent({ flags: ['--show-links'] })
  const { rows } = await ok(create, { planId: await plan({ ...ada, sendEmail: false }) })
  const { challengeUrl, inviteId } = mock.invites[0] ?? {}
  expect(rows[0].invites[0]).toMatchObject({ challengeUrl, emailSent: false })
  expect((await ok('list_invites')).invites).toMatchObject([{ challengeUrl }])
  expect((await ok('view_invite', { id: inviteId })).invites).toMatchObject([{ challengeUrl }])
})

test('an invite without an e-mail says how a person gets its link', async () => {
  const { plan, ok, mock } = await startAgent()
  const { rows } = await ok(create, { planId: await plan({ ...ada, sendEmail: false }) })
  const [invite] = mock.invites
  expect(rows[0].meaning).toContain(`certify invites view ${invite?.inviteId} --show-links`)
})

test('a repeated or concurrent create sends nothing and returns the first result', async () => {
  const { plan, ok, mock } = await startAgent()
  const planId = await plan(ada, { ...ada, quizId: other })
  const [first, second] = await Promise.all([ok(create, { planId }), ok(create, { planId })])
  expect(second).toEqual(first)
  expect(await ok(create, { planId })).toEqual(first)
  expect(mock.invites).toHaveLength(2)
})

test('a create whose response was lost is unknown: the result says not to repeat it, and repeating sends nothing', async () => {
  const { plan, call, ok, mock } = await startAgent()
  const planId = await plan({ email: LOST, quizId }, ada)
  const result = await call(create, { planId })
  expect(result.isError).toBe(true)
  const { rows, message } = dataOf(result)
  expect(message).toContain('The outcome of 1 is unknown. Do not create it again, in any way')
  const meaning = expect.stringContaining(`certify invites resolve ${rows[0].reference}`)
  expect(rows).toMatchObject([{ status: 'unknown', code: 'CONNECTION_LOST', meaning }, { status: 'not_started' }])
  expect(await call(create, { planId })).toEqual(result)
  const again = await ok('plan_invites', { invites: [{ email: LOST, quizId }, ada] })
  expect(again.rows).toMatchObject([
    { status: 'unknown', meaning: expect.stringContaining('Do not create it again') },
    { status: 'planned' },
  ])
  await ok(create, { planId: again.planId })
  expect(mock.invites.map(({ candidate }) => candidate.email)).toEqual([LOST, ada.email])
})

test('the first refused or failed row ends the run, and the rows after it can be planned again', async () => {
  const { plan, call, mock } = await startAgent()
  const refused = await call(create, { planId: await plan({ ...ada, quizId: 'quiz_made_up' }, ada) })
  expect(refused.isError).toBe(true)
  expect(dataOf(refused)).toMatchObject({
    message: '0 of 2 were created.',
    rows: [
      { status: 'refused', reference: expect.any(String), message: expect.stringContaining('The service says:') },
      { status: 'not_started', message: expect.stringContaining('Make a new plan') },
    ],
  })
  const planId = await plan(ada, { ...ada, quizId: other })
  mock.faults.add({ operation: 'developerCreateCertificationInvite', fault: { status: 403 } })
  expect(dataOf(await call(create, { planId }))).toMatchObject({
    rows: [{ status: 'failed', code: 'FORBIDDEN' }, { status: 'not_started' }],
  })
  expect(mock.invites).toEqual([])
})

test('--max-invites limits a plan, and a package counts one invite per skill', async () => {
  const { client, ok, error } = await startAgent({ flags: ['--max-invites', '3'] })
  const invites = [1, 2, 3, 4].map((number) => ({ email: `c${number}@example.com`, quizId }))
  expect(await error('plan_invites', { invites })).toContain('Too big')
  expect(await error('plan_invites', { invites: [ada, { email: 'b@example.com', packageId }] })).toMatchObject({
    code: 'PLAN_TOO_LARGE',
  })
  expect(await ok('plan_invites', { invites: invites.slice(1) })).toMatchObject({ planId: expect.any(String) })
  const tool = (await client.listTools()).tools.find(({ name }) => name === 'plan_invites')
  expect(tool?.inputSchema.properties?.['invites']).toMatchObject({ maxItems: 3 })
})

test('a key that may not list tracks can plan single invites, without their names', async () => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const { key = '' } = mock.apiKeys.find(({ name }) => name === 'invite') ?? {}
  const { ok, plan } = await startAgent({ mock, env: { CERTIFY_API_KEY: key } })
  expect((await ok('plan_invites', { invites: [ada] })).rows).toEqual([{ ...ada, row: 1, status: 'planned' }])
  expect((await ok(create, { planId: await plan(ada) })).message).toBe('1 of 1 were created.')
})

test('--callbacks gives a create its own callback URL', async () => {
  const env = { CERTIFY_CALLBACK_SECRET: secret }
  const flags = ['--callbacks', '--callback-base-url', 'https://hooks.example.com/certify']
  const { ok, plan, mock } = await startAgent({ flags, env })
  await ok(create, { planId: await plan(ada) })
  expect(mock.invites[0]?.callbackUrl).toMatch(/^https:\/\/hooks\.example\.com\/certify\//)
})
