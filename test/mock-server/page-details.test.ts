import { describe, expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { CallbackFaultRule, FaultRule } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { controlText, INES, invite, QUIZ, refusedInvite } from './calls.ts'

/* What the pages show of one invite, one e-mail, faults, and unknown paths. */

const NOW = '2030-03-01T09:30:00.000Z'
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

async function look(mock: MockServer, path: string, headers: Record<string, string> = HTML) {
  const response = await mock.fetch(mock.baseUrl + path, { headers })
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() }
}

/** The visible words of a part of a page. */
function words(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:;])/g, '$1')
    .trim()
}

/* Its time stands still, however slow the machine is. */
function stoppedMock() {
  const mock = createMockServer({ now: NOW })
  void mock.clock.freeze()
  return mock
}

function steps(page: string): string[] {
  return [...page.matchAll(/<li class="step[^>]*>([\s\S]*?)<\/li>/g)].map(([, step = '']) => words(step))
}

describe('the page of an invite', () => {
  test('is a timeline: request, e-mail, attempt, callbacks and follow-up', async () => {
    const mock = stoppedMock()
    const { inviteId, challengeUrl } = await invite(mock, { callbackUrl: 'https://sandbox.callback/hook' })
    await mock.clock.advance('1h')
    mock.open(inviteId).fail()
    await mock.clock.advance('1h')
    const followUp = mock.open(inviteId).claim('retake')
    await mock.settle()
    const [first, second] = mock.callbacks.list()
    const { text } = await look(mock, `/invites/${inviteId}`)
    expect(steps(text)).toEqual([
      '2030-03-01 09:30:00 UTC Created by request 1, with the key full',
      '2030-03-01 09:30:00 UTC E-mail sent',
      '2030-03-01 10:30:00 UTC Attempt started',
      '2030-03-01 10:30:00 UTC Attempt ended: failed',
      '2030-03-01 10:30:00 UTC Callback completed delivered HTTP 200',
      '2030-03-01 11:30:00 UTC Callback follow_up_claimed delivered HTTP 200',
      '2030-03-01 11:30:00 UTC The candidate claimed the retake, which is pending now',
    ])
    for (const link of [
      '/requests/1',
      `/outbox/${inviteId}`,
      `/callbacks?q=${first?.id}`,
      `/callbacks?q=${second?.id}`,
      `/invites/${followUp.inviteId}`,
      new URL(challengeUrl).pathname,
    ]) {
      expect(text).toContain(`href="${link}"`)
    }
    const other = (await look(mock, `/invites/${followUp.inviteId}`)).text
    expect(other).toContain(`href="/invites/${inviteId}"`)
    expect(steps(other)).toEqual([
      '2030-03-01 11:30:00 UTC The candidate claimed this invite: the retake of an earlier invite',
      '2030-03-15 11:30:00 UTC The link will close',
    ])
    expect((await look(mock, `/requests?q=${inviteId}`)).text).toContain('1 request')
  })

  test('has buttons for what the candidate may do', async () => {
    const mock = createMockServer()
    const { inviteId } = await invite(mock)
    const buttons = async () => [
      ...new Set(
        (await look(mock, `/invites/${inviteId}`)).text.match(new RegExp(`(?<=POST /invites/${inviteId}/)\\w+`, 'g')),
      ),
    ]
    expect(await buttons()).toEqual(['start', 'pass', 'fail', 'abandon'])
    mock.open(inviteId).fail()
    expect(await buttons()).toEqual(['claim'])
  })

  test('shows only the creation if the request is not in the log', async () => {
    const mock = stoppedMock()
    const { inviteId } = await invite(mock, { sendInviteEmail: false })
    mock.requestLog.clear()
    const { text } = await look(mock, `/invites/${inviteId}`)
    expect(steps(text)).toEqual(['2030-03-01 09:30:00 UTC Created', '2030-03-15 09:30:00 UTC The link will close'])
    expect(text).toContain('none was sent')
  })
})

describe('a lost response', () => {
  async function lost(input: object = {}) {
    const mock = stoppedMock()
    const { id } = mock.faults.add({ phase: 'after', fault: 'cut' })
    await invite(mock, { callbackUrl: 'https://sandbox.callback/hook', ...input }).catch(() => {})
    const { inviteId = '', challengeUrl = '' } = mock.invites[0] ?? {}
    return { mock, id, inviteId, link: new URL(challengeUrl).pathname }
  }

  test('is told in the list and in the entry: what was created, what hit it, and what the program saw', async () => {
    const { mock, id, inviteId } = await lost()
    const list = (await look(mock, '/requests')).text
    expect(
      words(/<summary>([\s\S]*?)<\/summary>/.exec(list.slice(list.indexOf('class="entries"')))?.[1] ?? ''),
    ).toMatch(/^1 create invite response lost invite created /)
    const { status, text } = await look(mock, '/requests/1')
    expect([status, text.match(/<details id="details-1" class="opener" open>/)?.length]).toEqual([200, 1])
    expect(words(text)).toContain(
      `The invite ${inviteId} was created and e-mailed; then ${id} cut the connection. ` +
        'A program with certify-sdk saw CONNECTION_LOST, outcome unknown.',
    )
    for (const to of [`/invites/${inviteId}`, `/faults#row-${id}`]) {
      expect(text).toContain(`href="${to}"`)
    }
  })

  test('is linked from the invite, its e-mail, its callback and the page of its candidate', async () => {
    const { mock, inviteId, link } = await lost()
    mock.open(inviteId).pass()
    await mock.settle()
    for (const path of [`/invites/${inviteId}`, `/outbox/${inviteId}`, '/callbacks', link]) {
      const { text } = await look(mock, path)
      expect(words(text)).toMatch(/(Created by|Cause|created by) request 1, whose response was lost/)
      expect(text).toContain('href="/requests/1"')
    }
  })

  test.each<[FaultRule, string]>([
    [
      { fault: 'reset' },
      'Nothing was executed and nothing created: fault_1 reset the connection before that. A program with certify-sdk saw CONNECTION_LOST, outcome unknown.',
    ],
    [{ phase: 'after', fault: 'truncate' }, 'saw RESPONSE_UNREADABLE, outcome unknown.'],
    [
      { fault: 429 },
      'fault_1 sent HTTP 429 instead of the response before that. A program with certify-sdk saw RATE_LIMITED, outcome not executed.',
    ],
    [
      { phase: 'after', fault: 503 },
      'fault_1 sent HTTP 503 instead of the response. A program with certify-sdk saw SERVER_FAULT, outcome unknown.',
    ],
    [{ fault: { delayMs: 1 } }, 'was created and e-mailed; then fault_1 delayed the response by 0.001 s.'],
  ])('has relatives, each with its own sentence: %j', async (rule, sentence) => {
    const mock = createMockServer()
    mock.faults.add(rule)
    await invite(mock).catch(() => {})
    expect(words((await look(mock, '/requests/1')).text)).toContain(sentence)
  })
})

test.each<[string, object, (mock: MockServer) => void, reason: RegExp, href: string]>([
  [
    'a misspelt quiz',
    { quizId: 'quiz_react_beginer_state' },
    () => {},
    /There is no quiz .* Did you mean quiz_react_beginner_state\?/,
    '',
  ],
  [
    'a quiz that is off',
    {},
    (mock) => mock.disableQuiz(QUIZ),
    /is not READY\. Open the quiz/,
    `/catalogue#quiz-pkg_react_beginner-${QUIZ}`,
  ],
  [
    'a certification',
    {},
    (mock) => mock.candidate(INES.email).certify(QUIZ),
    /holds a certification .* Open the certification/,
    `/candidates?${new URLSearchParams({ q: INES.email }).toString()}`,
  ],
  [
    'an attempt',
    {},
    (mock) => mock.candidate(INES.email).startAttempt(QUIZ),
    /has an attempt in progress .* Open the attempt/,
    `/candidates?${new URLSearchParams({ q: INES.email }).toString()}`,
  ],
])('a refused request says why, with a link to what blocks it: %s', async (_what, input, block, reason, href) => {
  const mock = createMockServer()
  block(mock)
  await refusedInvite(mock, input)
  const [, row = ''] = /<li id="entry-1">([\s\S]*?)<\/li>/.exec((await look(mock, '/requests')).text) ?? []
  expect(words(row.replace(/<details[\s\S]*<\/details>/, ''))).toMatch(reason)
  expect(row).toContain(href === '' ? '' : `href="${href}"`)
  expect(row).toContain('<span class="badge plain">200</span>')
})

test('each request has one story line, directly below its row, open or closed, and the same in the activity', async () => {
  const mock = stoppedMock()
  await invite(mock)
  await refusedInvite(mock, { quizId: 'quiz_nothing' })
  await invite(mock, { candidate: { email: 'cut-after@candidate.test' } }).catch(() => {})
  mock.setBehaviour({ rateLimit: { requests: 0, per: '2s' } })
  await refusedInvite(mock)
  const stories = [
    'Throttled: Too many requests: send the next in 2 s.',
    `The invite ${mock.invites[1]?.inviteId} was created and e-mailed; then the magic address`,
    'Refused: There is no quiz with the id &quot;quiz_nothing&quot;.',
    `Created ${mock.invites[0]?.inviteId}, and e-mailed.`,
  ]
  const { text } = await look(mock, '/requests')
  const below = [
    ...text.matchAll(/<\/summary><\/details>\s*<p class="why [^>]*>([\s\S]*?)<\/p>\s*<div class="opened">/g),
  ]
  const activity = words((await look(mock, '/')).text)
  expect(below).toHaveLength(4)
  for (const [index, story] of stories.entries()) {
    expect(words(below[index]?.[1] ?? '')).toContain(story)
    expect(activity).toContain(story)
  }
  mock.setBehaviour({ rateLimit: 'none' })
  mock.faults.add({ fault: { delayMs: 1 } })
  await refusedInvite(mock, { quizId: 'quiz_nothing' })
  expect(words((await look(mock, '/requests')).text)).toContain(
    'delayed the response by 0.001 s. Refused: There is no quiz',
  )
  expect((await look(mock, '/requests/3')).text).toMatch(
    /class="opener" open><summary>[\s\S]*?<\/details>\s*<p class="why/,
  )
})

test('the clock says its state in words, how far it is off, and how to let it run', async () => {
  const mock = createMockServer()
  const clock = async () =>
    words(
      /<section id="clock"[\s\S]*?<\/button>(?:<form[\s\S]*?<\/form>)?/.exec((await look(mock, '/')).text)?.[0] ?? '',
    )
  expect(await clock()).toMatch(/^Clock: [\d-]+ [\d:]+ UTC · runs$/)
  await mock.clock.advance('14d')
  expect(await clock()).toMatch(/ · runs · \+14 d$/)
  await mock.clock.freeze()
  expect(await clock()).toMatch(/ · frozen · \+14 d Run$/)
  expect(words((await look(mock, '/')).text)).toContain('give certify bulk the option --allow-clock-skew')
  const past = createMockServer({ now: new Date(Date.now() - 3 * 3_600_000) })
  expect(words((await look(past, '/')).text)).toContain('· frozen · −3 h')
})

test('the clock says which links expire next, goes there, and says what fell due', async () => {
  const mock = stoppedMock()
  mock.faults.add({ event: 'any', fault: { delay: '1h' } })
  for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) {
    await invite(mock, { candidate: { email }, callbackUrl: 'https://sandbox.callback/hook' })
  }
  mock.open(mock.invites[2]?.inviteId ?? '').pass()
  await mock.settle()
  const { text } = await look(mock, '/')
  const [, menu = ''] = /<div popover id="clock-menu"([\s\S]*?)<\/header>/.exec(text) ?? []
  expect(words(menu)).toContain('2 links expire next, at 2030-03-15 09:30:00 UTC')
  const [, body = ''] =
    /data-api="PUT \/clock" data-body="([^"]*)"[^>]*>\s*<button class="" id="clock-next"/.exec(menu) ?? []
  expect(await controlText(mock, 'PUT /clock', JSON.parse(body.replaceAll('&quot;', '"')))).toMatchObject({
    status: 200,
    text: expect.stringContaining('"happened":"2 links expired, 1 callback was delivered"'),
  })
  expect((await controlText(mock, 'POST /clock/advance', { by: '1d' })).text).toContain('nothing fell due')
})

test('each e-mail has a page with its sender, its text and its invite, and the list links to it', async () => {
  const mock = stoppedMock()
  const older = await invite(mock)
  await invite(mock, { quizId: 'quiz_javascript_beginner' })
  const mail = await look(mock, `/outbox/${older.inviteId}`)
  expect(mail.status).toBe(200)
  expect(mail.text).toContain(`href="${new URL(older.challengeUrl).pathname}"`)
  expect(mail.text).toContain(`href="/invites/${older.inviteId}"`)
  expect(words(mail.text)).toContain(
    `Hello ${INES.name}, You were invited to certify your skill: State and Events, beginner. ` +
      'The link is for you alone, and stays open until 2030-03-15 09:30:00 UTC.',
  )
  expect(words(mail.text)).toContain('From Certifications &lt;no-reply@certify.test&gt; To ')
  expect(mail.text).toContain('id="outbox"')
  expect(words(mail.text)).toContain('State and Events pending 2030-03-01')
  const list = (await look(mock, '/outbox')).text
  expect(list).toContain(`href="/outbox/${older.inviteId}"`)
  expect((await look(mock, '/invites')).text).toContain(`href="/invites/${older.inviteId}"`)
})

describe('an unknown path', () => {
  test.each([
    '/nothing',
    '/invites/inv_nothing',
    '/outbox/inv_nothing',
    '/challenge/nothing',
    '/api/developer',
    '/s/no/',
  ])('is a page with a way home for a browser: %s', async (path) => {
    const mock = createMockServer()
    const { status, type, text } = await look(mock, path)
    expect([status, type]).toEqual([404, 'text/html; charset=UTF-8'])
    expect(text).toContain('href="/"')
    expect(mock.requestLog.list()).toEqual([])
  })

  test('is JSON for a program, and the endpoint is JSON for everybody', async () => {
    const mock = createMockServer()
    expect(await look(mock, '/nothing', {})).toMatchObject({ status: 404, type: 'application/json; charset=utf-8' })
    expect((await look(mock, '/api/developer/graphql')).type).toContain('json')
  })
})

describe('the page of a candidate', () => {
  const pageOf = async (mock: MockServer, inviteId: string) => {
    const { status, type, text } = await look(mock, new URL(mock.open(inviteId).invite.challengeUrl).pathname)
    return `${status} ${type}: ${words(text)}`
  }

  test('never says that a link will close at a time in the past', async () => {
    const mock = stoppedMock()
    const { inviteId } = await invite(mock)
    const { inviteId: started } = await invite(mock, { candidate: { email: 'grace@example.com' } })
    mock.open(started).start()
    expect(await pageOf(mock, inviteId)).toContain('open for 14 days and 0 hours, until 2030-03-15 09:30:00 UTC')
    await mock.clock.advance('15d')
    expect(await pageOf(mock, inviteId)).toContain('closed at 2030-03-15 09:30:00 UTC')
    expect(await pageOf(mock, started)).toContain('closed at 2030-03-15 09:30:00 UTC; the attempt continues')
    expect(await pageOf(mock, started)).not.toContain('until')
  })

  test('says if no follow-up is offered', async () => {
    const mock = createMockServer()
    const { inviteId } = await invite(mock)
    expect(await pageOf(mock, inviteId)).toMatch(/^200 text\/html; charset=UTF-8: /)
    mock.open(inviteId).fail()
    mock.disableQuiz(mock.open(inviteId).invite.quizId)
    expect(await pageOf(mock, inviteId)).toMatch(/^410 text\/html; charset=UTF-8: /)
    expect(await pageOf(mock, inviteId)).toContain('There is no certification. No retake is offered.')
  })
})

test.each<[FaultRule | CallbackFaultRule, string]>([
  [
    { operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut', times: 2 },
    'Creates of invites: the connection is cut, after the request was executed.',
  ],
  [
    { fault: { status: 429, headers: { 'retry-after': '2' } }, email: 'ada@example.com' },
    'Requests for ada@example.com: HTTP 429 with retry-after 2, before the request is executed.',
  ],
  [
    { operation: 'developerCertificationPackageTracks', key: 'read', fault: { delayMs: 3000 } },
    'Listings of tracks with the key read: the response is 3 s late.',
  ],
  [
    { fault: 'hang', probability: 0.05 },
    '5 % of the requests: no response ever comes, before the request is executed.',
  ],
  [
    { script: [503, 'ok', 'cut'] },
    'Requests: in turn HTTP 503; nothing; the connection is cut, before the request is executed.',
  ],
  [
    { event: 'certification.completed', fault: 'refuse' },
    'Callbacks certification.completed: the connection is refused.',
  ],
])('a fault rule reads as a sentence: $1', async (rule, sentence) => {
  const mock = createMockServer()
  mock.faults.add(rule)
  const { text } = await look(mock, '/faults')
  expect(words(/<td><p>([\s\S]*?)<\/p>/.exec(text)?.[1] ?? '')).toBe(sentence)
})

test('a rule that is used up is greyed, and the page says that the first match decides', async () => {
  const mock = createMockServer()
  mock.faults.add({ fault: 503 })
  mock.faults.add({ fault: 'cut' })
  await invite(mock).catch(() => {})
  const { text } = await look(mock, '/faults')
  expect(text.match(/<tr id="row-fault_\d" class="[^"]*"/g)).toEqual([
    '<tr id="row-fault_1" class="used-up"',
    '<tr id="row-fault_2" class=""',
  ])
  expect(words(text)).toContain('The first rule that matches a request, and is not used up, decides.')
})

test.each([
  [
    'Response lost after the invite was created',
    { operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' },
  ],
  ['Service down (503)', { fault: 503, times: null }],
  ['Rate limited', { fault: { status: 429, headers: { 'retry-after': '2' } } }],
  ['Slow (3 s)', { fault: { delayMs: 3000 }, times: null }],
  ['Time-out', { operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'hang' }],
])('one button adds the fault %s', async (label, rule) => {
  const mock = createMockServer()
  const { text } = await look(mock, '/faults')
  const form = text.match(/<form[\s\S]*?<\/form>/g)?.find((each) => words(each) === label) ?? ''
  const body = JSON.parse((/data-body="([^"]*)"/.exec(form)?.[1] ?? '').replaceAll('&quot;', '"'))
  expect([/data-api="([^"]*)"/.exec(form)?.[1], body]).toEqual(['POST /faults', rule])
  expect(await controlText(mock, 'POST /faults', body)).toMatchObject({ status: 201 })
})
