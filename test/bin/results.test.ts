import { expect, test } from 'vitest'
import { callbackUrls, createCallbackHandler } from '../../src/callbacks/index.ts'
import { CertifyClient } from '../../src/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { createRunner, quizId } from './run.ts'

const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })

interface Row {
  readonly inviteId: string
  readonly result: string | null
  readonly followUps: readonly string[]
}

/* A ledger with a candidate who failed and passed the retake, one who failed, one without a result, and one who passed
   an invite whose response was lost. */
async function learned(name = 'Ada Byron') {
  const runner = createRunner()
  const { mock, home } = runner
  const clock = { now: () => mock.clock.now().getTime(), startTimer: () => () => {} }
  const ledger = await openLedger(home.ledger, { clock })
  const handler = createCallbackHandler({ callbacks: urls, inbox: ledger.inbox, onEvent: () => {} })
  mock.callbacks.deliverTo((request) => handler(request))
  const { baseUrl, apiKey, fetch } = mock
  const client = new CertifyClient({ baseUrl, apiKey, fetch, ledger, callbacks: urls })
  const invite = async (email: string) => client.invites.create({ quizId, candidate: { name, email } })
  const ada = await invite('ada@example.com')
  await mock.clock.advance('1d')
  const challenge = mock.open(ada.challengeUrl)
  challenge.fail()
  const retake = challenge.claim('retake')
  await mock.clock.advance('1d')
  mock.open(retake.challengeUrl).pass()
  mock.open((await invite('grace@example.com')).challengeUrl).fail()
  const open = await invite('open@example.com')
  mock.faults.add({ operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' })
  await invite('lost@example.com').catch(() => {})
  const lost = mock.invites.find(({ candidate }) => candidate.email === 'lost@example.com')
  mock.open(lost?.challengeUrl ?? '').pass()
  await mock.settle()
  await handler.drain()
  await handler.close()
  await ledger.close()
  const json = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await runner.certify(['invites', ...argv, '--json'])
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout) as Row[]
  }
  const retakeId = mock.invites.find((each) => each.challengeUrl === retake.challengeUrl)?.inviteId ?? ''
  return { ...runner, json, ada: ada.inviteId, retakeId, lost: lost?.inviteId ?? '', open: open.inviteId }
}

test('invites list --state passed or failed lists invites and follow-ups with that result', async () => {
  const { certify, json, ada, retakeId, lost } = await learned()
  expect((await json('list', '--state', 'passed')).map(({ inviteId }) => inviteId)).toEqual([lost, retakeId])
  expect((await json('list', '--state', 'failed')).map(({ inviteId }) => inviteId)).toContain(ada)
  expect((await json('list', '--state', 'unknown')).length).toBe(0)
  expect(await json('list', '--email', 'ada@example.com')).toMatchObject([
    { inviteId: ada, state: 'created', result: 'failed', resultAt: '2030-01-02T00:00:00.000Z', followUps: [retakeId] },
    { inviteId: retakeId, result: 'passed', followUpOf: ada, followUpKind: 'retake' },
  ])
  const { stdout } = await certify(['invites', 'list', '--state', 'passed'], { terminal: 160 })
  expect(stdout.split('\n')[0]?.split(/ {2,}/)).toEqual([
    'E-MAIL',
    'NAME',
    'RESULT',
    'VALID UNTIL',
    'INVITE ID',
    'QUIZ',
  ])
  const everything = await certify(['invites', 'list'], { terminal: 160 })
  expect(everything.stdout).toMatch(/STATE.*\n(.*\n)*ada@example\.com +Ada.* +\S*failed/)
  expect(await certify(['__complete', '--', 'invites', 'list', '--state', 'pa'])).toMatchObject({
    stdout: 'passed\t\n',
  })
})

test('invites view shows the chain of an invite and its follow-ups, from either end', async () => {
  const { certify, json, ada, retakeId, lost } = await learned()
  for (const id of [ada, retakeId]) {
    const { stdout } = await certify(['invites', 'view', id], { terminal: 160 })
    expect(stdout).toContain(`${ada} (failed) → ${retakeId} (retake, passed)`)
  }
  expect((await certify(['invites', 'view', retakeId], { terminal: 160 })).stdout).toMatch(
    /result.* passed, 2030-01-03T00:00:00\.000Z, valid until 203\d-/,
  )
  const { stdout } = await certify(['invites', 'view', lost], { terminal: 160 })
  expect(stdout).toContain('; its link is not recorded')
  expect(stdout).not.toContain('chain')
  expect(await json('view', lost)).toMatchObject({ state: 'created', result: 'passed' })
})

test('invites view with a reference shows the original invite, not its follow-up', async () => {
  const { json, ada } = await learned()
  const [{ reference } = { reference: '' }] = (await json('list', '--email', 'ada@example.com')) as unknown as {
    reference: string
  }[]
  expect(await json('view', reference)).toMatchObject({ inviteId: ada })
})

test('invites list --expiring-within leaves out invites with a result, and follow-ups, whose expiry is unknown', async () => {
  const { json, open } = await learned()
  expect((await json('list', '--expiring-within', '3w')).map(({ inviteId }) => inviteId)).toEqual([open])
})

test('invites list --csv has a header row and masked links; --excel adds a byte order mark', async () => {
  const { certify, retakeId, ada, mock } = await learned()
  const { code, stdout, stderr } = await certify(['invites', 'list', '--csv'])
  expect([code, stderr]).toEqual([0, ''])
  const [heading = '', ...lines] = stdout.trimEnd().split('\r\n')
  const titles = heading.split(',')
  expect(titles.slice(0, 8)).toEqual(['email', 'name', 'skill_name', 'level', 'quiz_id', 'package_id', 'state', 'code'])
  const rows = lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, at) => [titles[at] ?? '', cell] as const)),
  )
  expect(rows).toHaveLength(5)
  expect(rows.find((row) => row['invite_id'] === retakeId)).toMatchObject({
    email: 'ada@example.com',
    name: 'Ada Byron',
    quiz_id: quizId,
    state: 'created',
    result: 'passed',
    follow_up_of: ada,
    follow_up_kind: 'retake',
    result_at: '2030-01-03T00:00:00.000Z',
  })
  const links = mock.invites.map(({ challengeUrl }) => challengeUrl)
  for (const link of links) expect(stdout).not.toContain(new URL(link).pathname)
  expect((await certify(['invites', 'list', '--csv', '--show-links'])).stdout).toContain(links[0])
  expect((await certify(['invites', 'list', '--csv'], { terminal: 80 })).stdout).toBe(stdout)
  expect((await certify(['invites', 'list', '--excel'])).stdout).toBe(`\uFEFF${stdout}`)
})

test('invites list --csv neutralizes formulas and control sequences', async () => {
  const { certify } = await learned('=HYPERLINK("https://evil.example")\u001b[31m')
  const { stdout } = await certify(['invites', 'list', '--csv'])
  expect(stdout).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
  expect(stdout).not.toContain('\u001b')
})
