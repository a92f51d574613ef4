import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMockServer } from '../../../mock-server/index.ts'
import { type CampaignEvent, planCampaign, runCampaign } from '../../../src/campaign/index.ts'
import { pause, raceWithAbort } from '../../../src/clock.ts'
import { type ApiKeyOptions, CertifyError } from '../../../src/index.ts'
import { openLedger, type WholeLedger } from './whole.ts'
import { processLockOf } from '../../../src/ledger/process-lock.ts'
import { ledgerUnusable } from '../../../src/ledger/rules/errors.ts'
import { loadDriver } from '../../../src/ledger/sqlite-driver.ts'
import { clientBy, jumpingClock } from '../clock.ts'
import { failureOf } from '../failing.ts'
import { claimed, claimOf } from './contract/samples.ts'
import { all, candidate, changedLedger, ownFolder, PACKAGE, QUIZ } from './setting.ts'

const DEADLINE_MS = 2000
/* What remains for the record. */
const LEASE_MS = DEADLINE_MS + 30_000
const input = { quizId: QUIZ, candidate }
const never = <T>() => new Promise<T>(() => {})

/** A client and its ledger, by one clock. What is sent takes no time, unless `hangs` matches its body. */
async function limitedSetting(
  changesOf: (ledger: WholeLedger) => Partial<WholeLedger> = () => ({}),
  { hangs = /^$/, ...options }: Partial<ApiKeyOptions> & { readonly hangs?: RegExp } = {},
) {
  const clock = jumpingClock()
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const path = join(ownFolder(), 'invites.ledger')
  const ledger = await openLedger(path, { clock })
  onTestFinished(() => ledger.close())
  const sent: string[] = []
  const unrecorded: CertifyError[] = []
  const client = clientBy(clock, {
    baseUrl: mock.baseUrl,
    apiKey: mock.apiKey,
    deadlineMs: DEADLINE_MS,
    ledger: changedLedger(ledger, changesOf(ledger)),
    hooks: {
      onUnrecorded: (error) => {
        unrecorded.push(error)
        throw new Error('a bug of the hook')
      },
    },
    fetch: (url, init) => {
      sent.push(init.body)
      return hangs.test(init.body) ? raceWithAbort(never(), init.signal) : mock.fetch(url, init)
    },
    ...options,
  })
  const creates = () => sent.filter((body) => body.includes('mutation')).length
  return { clock, mock, ledger, path, client, unrecorded, creates }
}

/** What the ledger has, as another process sees it. */
async function recordedIn(path: string, clock: ReturnType<typeof jumpingClock>): Promise<string[]> {
  const ledger = await openLedger(path, { clock })
  const records = await all(ledger.list())
  await ledger.close()
  return records.map(({ state, code = '' }) => `${state} ${code}`.trim())
}

/* A signal that counts its listeners. */
function countedSignal() {
  const controller = new AbortController()
  const { signal } = controller
  const count = { listeners: 0 }
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  Object.assign(signal, {
    addEventListener: (...args: Parameters<typeof add>) => {
      count.listeners += 1
      add(...args)
    },
    removeEventListener: (...args: Parameters<typeof remove>) => {
      count.listeners -= 1
      remove(...args)
    },
  })
  return { controller, signal, count }
}

type Setting = Awaited<ReturnType<typeof limitedSetting>>
type Call = Parameters<Setting['client']['invites']['create']>[1]
const single = ({ client }: Setting, call: Call) => client.invites.create(input, call)

/* What a create waits for, for ever. */
const WAITS: readonly [string, () => Promise<Setting>, (setting: Setting, call: Call) => Promise<unknown>, string?][] =
  [
    ['a ledger that hangs', () => limitedSetting(() => ({ claim: () => never() })), single],
    [
      'a mock that does not say which world it has',
      () => {
        const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation(() => never())
        onTestFinished(() => fetch.mockRestore())
        return limitedSetting(undefined, { baseUrl: 'http://127.0.0.1:4010' })
      },
      single,
    ],
    [
      'the list of packages',
      () => limitedSetting(undefined, { hangs: /Tracks/ }),
      ({ client }, call) => client.packageInvites.create({ packageId: PACKAGE, candidate }, call),
    ],
    [
      'another call that invites the candidate',
      async () => {
        const setting = await limitedSetting()
        const { baseUrl } = setting.mock
        await setting.ledger.claim(claimOf(input, 'held', { baseUrl, leaseMs: 600_000 }))
        return setting
      },
      single,
      'IN_PROGRESS',
    ],
  ]

test.each(WAITS)(
  'waiting for %s ends at the deadline or by the signal; then nothing is sent',
  async (_what, settingOf, create, atDeadline = 'TIMED_OUT') => {
    for (const code of [atDeadline, 'ABORTED']) {
      const setting = await settingOf()
      const { clock, creates, ledger } = setting
      const { controller, signal, count } = countedSignal()
      if (code === 'ABORTED') clock.startTimer(700, () => controller.abort('enough'))
      const error = await failureOf(create(setting, { signal, reference: 'mine' }))
      expect(error).toMatchObject({
        code,
        outcome: 'not-executed',
        operation: expect.stringContaining('create') as string,
      })
      expect([error.retryable, error.cause]).toEqual(code === 'ABORTED' ? [false, 'enough'] : [true, undefined])
      expect(clock.elapsed()).toBe(code === 'ABORTED' ? 700 : DEADLINE_MS)
      expect(clock.started.filter((at) => at > DEADLINE_MS)).toEqual([])
      expect((await all(ledger.list())).filter(({ reference }) => reference === 'mine')).toEqual([])
      /* The request for the list ends a turn later. */
      await expect.poll(() => [creates(), clock.armed(), count.listeners]).toEqual([0, 0, 0])
      vi.restoreAllMocks()
    }
  },
)

test.each([
  [700, 'is sent', 1],
  [1500, 'is not: less than a tenth of its time is left', 0],
])('a create that waited %d of 1600 ms for another one, which was refused, %s', async (refusedAt, _what, sent) => {
  const { clock, client, creates, ledger, mock } = await limitedSetting()
  const held = await claimed(ledger, claimOf(input, 'held', { baseUrl: mock.baseUrl, leaseMs: 600_000 }))
  const refused = { state: 'refused', code: 'FORBIDDEN' } as const
  clock.startTimer(refusedAt, () => void ledger.settle(held, refused))
  const create = client.invites.create(input, { reference: 'mine', deadlineMs: 1600 })
  const code = await create.then(
    () => 'created',
    ({ code: thrown }: CertifyError) => thrown,
  )
  expect([code, creates()]).toEqual(sent === 1 ? ['created', 1] : ['TIMED_OUT', 0])
  expect((await ledger.find('mine'))?.state).toBe(sent === 1 ? 'created' : 'not-executed')
})

test('a file that another process has locked ends a create at its deadline: it is neither sent nor recorded later', async () => {
  const setting = await limitedSetting(undefined, { deadlineMs: 100 })
  const other = loadDriver().open(setting.path)
  other.exec('BEGIN IMMEDIATE')
  const waiting = Promise.all([single(setting, {}), single(setting, {})].map(failureOf))
  expect((await waiting).map(({ code }) => code)).toEqual(['TIMED_OUT', 'TIMED_OUT'])
  other.exec('ROLLBACK')
  other.close()
  expect([await all(setting.ledger.list()), setting.creates()]).toEqual([[], 0])
})

test.each(['TIMED_OUT', 'ABORTED'])(
  'a claim that succeeds after its caller was told %s is recorded as not executed, and close waits for that',
  async (code) => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    /* Its work had begun, so the limits do not end it. */
    const setting = await limitedSetting((ledger) => ({
      claim: async (request) => {
        const claim = await ledger.claim(request)
        await gate
        return claim
      },
    }))
    const { clock, creates, ledger, path, unrecorded } = setting
    const stop = new AbortController()
    if (code === 'ABORTED') clock.startTimer(700, () => stop.abort())
    expect(await failureOf(single(setting, { signal: stop.signal, reference: 'a' }))).toMatchObject({
      code,
      outcome: 'not-executed',
    })
    const closing = ledger.close()
    open()
    await closing
    expect(await recordedIn(path, clock)).toEqual([`not-executed ${code}`])
    expect([creates(), unrecorded]).toEqual([0, []])
  },
)

test('a claim that hangs for ever holds up close until its lease ends', async () => {
  const setting = await limitedSetting((ledger) => ({ claim: (request) => ledger.claim(request).then(() => never()) }))
  await failureOf(single(setting, {}))
  await setting.ledger.close()
  expect(setting.clock.elapsed()).toBe(LEASE_MS)
})

test('a request may take only what the ledger has left of the deadline', async () => {
  const hangs = /mutation/
  const setting = await limitedSetting(
    ({ claim }) => ({ claim: async (request) => (await pause(setting.clock, 1500), claim(request)) }),
    { hangs },
  )
  const error = await failureOf(single(setting, {}))
  expect(error).toMatchObject({ code: 'TIMED_OUT', outcome: 'unknown', durationMs: DEADLINE_MS })
  expect([setting.clock.elapsed(), setting.creates(), setting.unrecorded]).toEqual([DEADLINE_MS, 1, []])
  expect(await all(setting.ledger.list())).toMatchObject([{ state: 'unknown', code: 'TIMED_OUT' }])
})

/* Another thread locks the ledger before the end of a create is recorded, for longer than a commit waits. */
const lockedForLong = (ledger: WholeLedger): Partial<WholeLedger> => {
  const lock = processLockOf(ledger.path)
  let settlements = 0
  return {
    settle(...settlement) {
      settlements += 1
      if (settlements === 1 && lock.tryTake()) ledger.clock.startTimer(12_000, () => lock.give())
      return ledger.settle(...settlement)
    },
  }
}

/* A ledger that cannot record how a create ended, this often or for ever. */
const failing =
  (times: number, error = new CertifyError({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed', message: 'locked' })) =>
  (ledger: WholeLedger): Partial<WholeLedger> => {
    let failures = 0
    return {
      settle(reference, settlement) {
        failures += 1
        return failures > times ? ledger.settle(reference, settlement) : Promise.reject(error)
      },
    }
  }

test.each([
  ['recorded at the fourth try is as any other', failing(3), [700, 0], 700, 'created'],
  ['not recorded by the deadline is returned, and recorded later', failing(6), [DEADLINE_MS, 1], 5100, 'created'],
  [
    'whose ledger is locked is returned at the deadline, and recorded later',
    lockedForLong,
    [DEADLINE_MS, 1],
    12_000,
    'created',
  ],
  [
    'never recorded is returned, and close gives up as its lease ends',
    failing(1e9),
    [DEADLINE_MS, 1],
    LEASE_MS,
    'unknown',
  ],
  [
    'whose record hangs is returned at the deadline',
    () => ({ settle: never<never> }),
    [DEADLINE_MS, 1],
    LEASE_MS,
    'unknown',
  ],
  [
    'on a full disk is returned at the deadline, and recorded later',
    failing(6, ledgerUnusable('full', '')),
    [DEADLINE_MS, 1],
    5100,
    'created',
  ],
  [
    'whose ledger is closed, damaged or replaced is returned at once',
    failing(1e9, ledgerUnusable('replaced', '', 'for good')),
    [0, 1],
    0,
    'sending',
  ],
] as const)('an invite %s, with one event at most', async (_what, changes, [returnedAt, calls], closedAt, state) => {
  const setting = await limitedSetting(changes)
  const { clock, ledger, mock, path, unrecorded } = setting
  expect(await single(setting, {})).toMatchObject({ inviteId: mock.invites[0]?.inviteId })
  expect([clock.elapsed(), unrecorded.length]).toEqual([returnedAt, calls])
  await ledger.close()
  expect([clock.elapsed(), unrecorded.length]).toEqual([closedAt, calls])
  expect(unrecorded.filter(({ code }) => code !== 'LEDGER_UNUSABLE')).toEqual([])
  expect(await recordedIn(path, clock)).toEqual([state])
})

test.each([
  ['fails six times', failing(6), 5100],
  ['fails for ever', failing(1e9), LEASE_MS],
  ['hangs', () => ({ settle: never<never> }), LEASE_MS],
] as const)('a create that has ended waits for no ledger that %s, and is unknown', async (_what, changes, lastsMs) => {
  for (const code of ['TIMED_OUT', 'ABORTED']) {
    const setting = await limitedSetting(changes, { hangs: /mutation/ })
    const { clock, ledger, path, unrecorded } = setting
    const stop = new AbortController()
    if (code === 'ABORTED') clock.startTimer(700, () => stop.abort())
    expect(await failureOf(single(setting, { signal: stop.signal }))).toMatchObject({ code, outcome: 'unknown' })
    const endedAt = code === 'ABORTED' ? 700 : DEADLINE_MS
    expect([clock.elapsed(), unrecorded]).toEqual([endedAt, []])
    await ledger.close()
    expect([clock.elapsed(), unrecorded]).toEqual([Math.min(endedAt + lastsMs, LEASE_MS), []])
    expect(await recordedIn(path, clock)).toEqual([expect.stringMatching(/^unknown/)])
  }
})

test('a row that the ledger can record only later is reported once it is recorded, and nothing more is sent', async () => {
  const { client, creates, ledger, unrecorded } = await limitedSetting(failing(6))
  const rows = ['a', 'b', 'c'].map((name) => ({ input: { quizId: QUIZ, candidate: { email: `${name}@example.com` } } }))
  const events = await all<CampaignEvent>(runCampaign(await planCampaign(rows, { client }), { concurrency: 1 }))
  expect(events).toMatchObject([
    { type: 'row', status: 'created', error: undefined },
    { type: 'finished', summary: { remaining: 2, stopped: 'error', error: { code: 'LEDGER_UNUSABLE' } } },
  ])
  expect([creates(), unrecorded]).toEqual([1, []])
  expect(await all(ledger.list())).toMatchObject([{ state: 'created' }])
})
