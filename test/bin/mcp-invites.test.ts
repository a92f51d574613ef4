import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { startAgent, type Structured } from './agent.ts'
import { createRunner } from './run.ts'

const quizId = 'quiz_react_beginner_state'
const other = 'quiz_javascript_beginner'
const packageId = 'pkg_react_beginner'
const ada = { email: 'ada@example.com', name: 'Ada', quizId }
const LOST = 'cut-after@candidate.test'
const create = 'create_planned_invites'
const secret = 'a secret of thirty-two characters'

test('a plan says exactly what would be sent and to whom, and sends and records nothing', async () => {
  const { ok, mock, hasLedger } = await startAgent()
  const invites = [
    { ...ada, externalReference: 'req-7', sendEmail: false },
    { email: 'b@example.com', packageId },
  ]
  const { planId, message, service, account, rows } = await ok('plan_invites', { invites })
  expect(planId).toMatch(/^plan_/)
  expect(message).toContain('2 of 2 rows would be sent, as 4 invites. Nothing was sent.')
  expect([service, account]).toEqual([mock.baseUrl, 'default'])
  expect(rows).toMatchObject([
    {
      number: 1,
      status: 'planned',
      email: ada.email,
      name: 'Ada',
      quizId,
      title: 'State and Events (BEGINNER)',
      invites: 1,
    },
    { number: 2, status: 'planned', email: 'b@example.com', name: null, packageId, invites: 3, sendsEmail: true },
  ])
  expect(rows[0]).toMatchObject({ externalReference: 'req-7', sendsEmail: false, isListed: true, inLedger: [] })
  expect([mock.invites, mock.outbox, hasLedger()]).toEqual([[], [], false])
})

test('a plan refuses what is not valid, and what is planned twice, and names it', async () => {
  const { ok } = await startAgent()
  const invites = [ada, ada, { email: 'no address', quizId }, { ...ada, packageId }, { email: ada.email }]
  const { rows, message } = await ok('plan_invites', { invites })
  expect(rows.map(({ status }: { status: string }) => status)).toEqual([
    'planned',
    'duplicate',
    'invalid',
    'invalid',
    'invalid',
  ])
  expect(message).toContain('1 of 5 rows would be sent')
  expect(rows[1].duplicateOf).toBe(1)
  expect(rows[2].problems).toEqual([expect.stringMatching(/^email /)])
  for (const row of rows.slice(3))
    expect(row.problems).toContain('quizId or packageId has to be given, and only one of them')
  expect(await ok('plan_invites', { invites: [{ email: ada.email }] })).toMatchObject({ planId: null })
})

test('a valid address that may be meant differently is named in the plan, and before the person confirms', async () => {
  const asked: string[] = []
  const answer = async ({ message }: { readonly message: string }) => {
    asked.push(message)
    return { action: 'decline' as const }
  }
  const { ok, error } = await startAgent({ answer })
  const { planId, rows } = await ok('plan_invites', { invites: [{ ...ada, email: 'ada@gmial.com' }, ada] })
  const doubt = 'email: look at it again: gmial.com (gmail.com?)'
  expect(rows).toMatchObject([
    { status: 'planned', problems: [doubt] },
    { status: 'planned', problems: [] },
  ])
  await error(create, { planId })
  expect(asked).toEqual([expect.stringContaining(`, with e-mail; ${doubt}\n`)])
})

test('a ledger that knows the service only under another account is not planned with before somebody has chosen one', async () => {
  const { certify, home, mock } = createRunner()
  const flags = ['--ledger', home.ledger, '--account', 'acme-production']
  const argv = ['invites', 'create', '--quiz-id', quizId, '--email', ada.email, ...flags]
  expect((await certify(argv)).code).toBe(0)
  const { error } = await startAgent({ mock, flags: flags.slice(0, 2) })
  expect(await error('plan_invites', { invites: [ada] })).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('for the account “acme-production”, and no account was given'),
  })
  const named = await startAgent({ mock, flags })
  expect((await named.ok('plan_invites', { invites: [ada] })).rows).toMatchObject([{ status: 'already_invited' }])
  const grace = { ...ada, email: 'grace@example.com' }
  expect((await certify([...argv.with(5, 'bob@example.com').slice(0, -2), '--account', 'default'])).code).toBe(0)
  await mock.clock.advance('1m')
  expect((await certify(argv.with(5, 'cem@example.com'))).code).toBe(0)
  const { message } = await (await startAgent({ mock, flags: flags.slice(0, 2) })).ok('plan_invites', {
    invites: [grace],
  })
  expect(message).toContain('Warning: the ledger also has invites of this service for the account “acme-production”.')
})

test('an identifier that the service does not list is named: an agent may have made it up', async () => {
  const { ok } = await startAgent()
  const { rows, message } = await ok('plan_invites', { invites: [{ ...ada, quizId: 'quiz_made_up' }] })
  expect(rows).toMatchObject([{ status: 'planned', isListed: false, title: null }])
  expect(message).toContain('does not list some of the identifiers')
})

test('the planned invites are created, once and recorded, with their links masked', async () => {
  const { plan, ok, mock, certify } = await startAgent()
  const planId = await plan(ada, { email: 'b@example.com', packageId })
  const { rows, message } = await ok(create, { planId })
  expect(message).toBe('2 of 2 were created.')
  expect(rows).toMatchObject([
    { number: 1, status: 'created', email: ada.email, quizId, invites: [{ quizId, emailSent: true }], error: null },
    { number: 2, status: 'created', packageId, invites: [{}, {}, {}] },
  ])
  expect(mock.invites.map((each) => each.candidate)).toMatchObject([{ name: 'Ada' }, {}, {}, {}])
  const [link] = mock.invites.map(({ challengeUrl }) => challengeUrl)
  expect(rows[0].invites[0].challengeUrl).toMatch(/^https:\/\/[^/]+\/….{4}$/)
  const { stdout } = await certify(['invites', 'view', rows[0].reference, '--show-links', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ state: 'created', challengeUrl: link, email: ada.email })
})

test('with --show-links the links are whole', async () => {
  const { plan, ok, mock } = await startAgent({ flags: ['--show-links'] })
  const { rows } = await ok(create, { planId: await plan({ ...ada, sendEmail: false }) })
  const { challengeUrl, inviteId } = mock.invites[0] ?? {}
  expect(rows[0].invites[0]).toMatchObject({ challengeUrl, emailSent: false })
  expect((await ok('list_invites')).invites).toMatchObject([{ challengeUrl }])
  expect((await ok('view_invite', { id: inviteId })).invites).toMatchObject([{ challengeUrl }])
})

test('without an e-mail, the result says how a person gets the link', async () => {
  const { plan, ok, mock } = await startAgent()
  const { rows } = await ok(create, { planId: await plan({ ...ada, sendEmail: false }) })
  const [invite] = mock.invites
  expect(rows[0].meaning).toContain(`certify invites view ${invite?.inviteId} --show-links`)
})

test('nothing is sent without a plan of this session', async () => {
  const { plan } = await startAgent()
  const foreign = await plan(ada)
  const { error, mock } = await startAgent()
  for (const planId of [foreign, 'plan_1', ''])
    expect(await error(create, { planId })).toMatchObject({ code: 'PLAN_NOT_FOUND' })
  expect(mock.invites).toEqual([])
})

test('a repeated create sends nothing and returns the first result, also while the first one runs', async () => {
  const { plan, ok, mock } = await startAgent()
  const planId = await plan(ada, { ...ada, quizId: other })
  const [first, second] = await Promise.all([ok(create, { planId }), ok(create, { planId })])
  expect(second).toEqual(first)
  expect(await ok(create, { planId })).toEqual(first)
  expect(mock.invites).toHaveLength(2)
})

test('two plans for one candidate send one invite, also at the same time', async () => {
  const { plan, call, mock } = await startAgent()
  const [one, two] = [await plan(ada), await plan(ada)]
  const results = await Promise.all([call(create, { planId: one }), call(create, { planId: two })])
  expect(mock.invites).toHaveLength(1)
  expect(results.filter(({ isError }) => isError === true)).toHaveLength(1)
})

test('a create whose answer was lost is unknown: the agent is told never to send it again, and no repetition does', async () => {
  const { plan, call, ok, mock } = await startAgent()
  const planId = await plan({ email: LOST, quizId }, ada)
  const result = await call(create, { planId })
  expect(result.isError).toBe(true)
  const { rows, message } = result.structuredContent as { rows: readonly Record<string, string>[]; message: string }
  expect(message).toContain('The outcome of 1 is unknown. Do not send it again, in any way')
  expect(rows[0]).toMatchObject({
    status: 'unknown',
    error: { code: 'CONNECTION_LOST', outcome: 'unknown', hint: expect.stringContaining('Do not send it again') },
  })
  expect(rows[0]?.['meaning']).toContain(`certify invites resolve ${rows[0]?.['reference']}`)
  expect(rows[1]).toMatchObject({
    status: 'not_sent',
    meaning: expect.stringContaining('because of what became of row 1'),
  })
  expect(mock.invites.map(({ candidate }) => candidate.email)).toEqual([LOST])
  expect(await call(create, { planId })).toEqual(result)
  const again = await ok('plan_invites', { invites: [{ email: LOST, quizId }, ada] })
  expect(again.rows).toMatchObject([
    { status: 'unknown', meaning: expect.stringContaining('Do not send it again') },
    { status: 'planned' },
  ])
  expect(again.rows[0].inLedger).toMatchObject([{ state: 'unknown', reference: rows[0]?.['reference'] }])
  await ok(create, { planId: again.planId })
  expect(mock.invites.map(({ candidate }) => candidate.email)).toEqual([LOST, ada.email])
})

test('a refusal of one invite does not stop the others, a failure that all would share does', async () => {
  const { plan, call, mock } = await startAgent()
  const refused = await call(create, { planId: await plan({ ...ada, quizId: 'quiz_made_up' }, ada) })
  expect(refused.structuredContent).toMatchObject({
    message: '1 of 2 were created. 1 were not created: each row says why.',
    rows: [
      {
        status: 'refused',
        reference: expect.any(String),
        error: { outcome: 'not-executed', hint: expect.stringContaining('documented reasons') },
      },
      { status: 'created' },
    ],
  })
  const planId = await plan({ ...ada, quizId: other }, { email: 'b@example.com', quizId })
  mock.faults.add({ operation: 'developerCreateCertificationInvite', fault: { status: 403 } })
  const stopped = await call(create, { planId })
  expect(stopped.structuredContent).toMatchObject({
    rows: [{ status: 'failed', error: { code: 'FORBIDDEN', outcome: 'not-executed' } }, { status: 'not_sent' }],
  })
  expect(mock.invites).toHaveLength(1)
})

test('an invite that another process is sending is not sent, and does not stop the others', async () => {
  const { plan, call, certify, mock } = await startAgent({ flags: ['--deadline', '300ms'] })
  const planId = await plan(ada, { email: 'b@example.com', quizId })
  let result: Structured
  const fetch = async (...request: Parameters<typeof mock.fetch>) => {
    result = (await call(create, { planId })).structuredContent
    return mock.fetch(...request)
  }
  await certify(['invites', 'create', '--quiz-id', quizId, '--email', ada.email], { fetch })
  expect(result).toMatchObject({
    rows: [
      {
        status: 'not_sent',
        reference: null,
        meaning: expect.stringContaining('Another call is inviting this candidate'),
        error: { code: 'IN_PROGRESS', outcome: 'not-executed' },
      },
      { status: 'created' },
    ],
  })
  expect(mock.invites.map(({ candidate }) => candidate.email)).toEqual(['b@example.com', ada.email])
})

test('a plan that would be another one now is not sent', async () => {
  const { plan, error, certify, mock } = await startAgent()
  const planId = await plan(ada, { ...ada, quizId: other })
  await certify(['invites', 'create', '--quiz-id', quizId, '--email', ada.email])
  expect(await error(create, { planId })).toMatchObject({ code: 'PLAN_CHANGED', outcome: 'not-executed' })
  expect(await error(create, { planId })).toMatchObject({ code: 'PLAN_NOT_FOUND' })
  expect(mock.invites).toHaveLength(1)
})

test('the ledger cannot be turned off', async () => {
  const { plan, ok, mock } = await startAgent({ env: { CERTIFY_LEDGER: 'no' } })
  await ok(create, { planId: await plan(ada) })
  const { rows, planId } = await ok('plan_invites', { invites: [ada] })
  expect([rows[0].status, planId, mock.invites.length]).toEqual(['already_invited', null, 1])
  expect(rows[0].inLedger).toMatchObject([{ state: 'created', inviteId: mock.invites[0]?.inviteId }])
})

test('a plan has at most as many invites as --max-invites, and a package counts with each of its skills', async () => {
  const { client, ok, error } = await startAgent({ flags: ['--max-invites', '3'] })
  const invites = [1, 2, 3, 4].map((number) => ({ email: `c${number}@example.com`, quizId }))
  expect(await error('plan_invites', { invites })).toContain('Too big')
  expect(await error('plan_invites', { invites: [ada, { email: 'b@example.com', packageId }] })).toMatchObject({
    code: 'PLAN_TOO_LARGE',
  })
  expect(await ok('plan_invites', { invites: invites.slice(1) })).toMatchObject({ planId: expect.any(String) })
  const tool = (await client.listTools()).tools.find(({ name }) => name === 'plan_invites')
  expect(tool?.inputSchema.properties?.['invites']).toMatchObject({ maxItems: 3 })
  const usual = (await (await startAgent()).client.listTools()).tools.find(({ name }) => name === 'plan_invites')
  expect(usual?.inputSchema.properties?.['invites']).toMatchObject({ maxItems: 20 })
})

test('a key that may not list the tracks can plan single invites: names are missing then', async () => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const { key = '' } = mock.apiKeys.find(({ name }) => name === 'invite') ?? {}
  const { ok, plan } = await startAgent({ mock, env: { CERTIFY_API_KEY: key } })
  expect((await ok('plan_invites', { invites: [ada] })).rows).toMatchObject([
    { isListed: null, title: null, status: 'planned' },
  ])
  expect((await ok(create, { planId: await plan(ada) })).message).toBe('1 of 1 were created.')
})

test('with --callbacks each create has a callback URL of its own, and the plan names the host', async () => {
  const env = { CERTIFY_CALLBACK_SECRET: secret }
  const flags = ['--callbacks', '--callback-base-url', 'https://hooks.example.com/certify']
  const { ok, mock } = await startAgent({ flags, env })
  const { planId, callbackHost } = await ok('plan_invites', { invites: [ada] })
  expect(callbackHost).toBe('hooks.example.com')
  await ok(create, { planId })
  expect(mock.invites[0]?.callbackUrl).toMatch(/^https:\/\/hooks\.example\.com\/certify\//)
})

test('an invite whose answer came in part counts as created, and the plan ends there', async () => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const fetch: typeof mock.fetch = async (url, init) => {
    const response = await mock.fetch(url, init)
    return new Response((await response.text()).replace('"challengeUrl"', '"other"'), response)
  }
  const { plan, call, ok } = await startAgent({ mock, fetch })
  const { structuredContent } = await call(create, { planId: await plan(ada, { ...ada, quizId: other }) })
  expect(structuredContent).toMatchObject({
    rows: [
      { status: 'created', meaning: expect.stringContaining('do not send it again'), error: { outcome: 'executed' } },
      { status: 'not_sent' },
    ],
  })
  expect((await ok('list_invites')).invites).toMatchObject([{ state: 'created', inviteId: mock.invites[0]?.inviteId }])
})
