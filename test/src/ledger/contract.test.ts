import { spawnSync } from 'node:child_process'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ClaimRequest, DriverName, Ledger } from '../../../src/ledger/index.ts'
import { openLedger } from '../../../src/ledger/index.ts'
import { loadDriver } from '../../../src/ledger/sqlite/driver.ts'
import { all, DAY_MS, DRIVERS, freshLedger, ownFolder, standingClock } from './setting.ts'

const scope = { baseUrl: 'https://certify.test', account: 'acme', world: '' }
const input = { quizId: 'quiz', candidate: { name: 'Ada', email: 'ada@example.com' } }
const invite = {
  inviteId: 'inv_1',
  status: 'PENDING',
  challengeUrl: 'https://certify.test/challenge/1',
  expiresAt: '2030-01-15T00:00:00.000Z',
  emailSent: true,
}

const request = (reference: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  scope,
  target: { email: 'ada@example.com', quizIds: ['quiz'] },
  reference,
  input,
  leaseMs: 60_000,
  ...more,
})
const kindOf = async (ledger: Ledger, reference: string, more: Partial<ClaimRequest> = {}) =>
  (await ledger.claim(request(reference, more))).kind

test('there is an SQLite to test with', () => {
  expect(DRIVERS.length).toBeGreaterThan(0)
})

describe.each(DRIVERS)('a ledger over %s', (driver: DriverName) => {
  const open = (clock = standingClock()) => freshLedger(clock, { driver })

  test('gives a key to one caller only, and tells the others that it is on its way', async () => {
    const ledger = await open()
    const kinds = await Promise.all(['a', 'b', 'c'].map((reference) => kindOf(ledger, reference)))
    expect(kinds).toEqual(['claimed', 'in-flight', 'in-flight'])
  })

  test('gives a created invite back whole, and for as long as it is open', async () => {
    const clock = standingClock()
    const ledger = await open(clock)
    await ledger.claim(request('a', { campaign: 'spring', row: 7 }))
    clock.advance(5)
    expect(await ledger.settle('a', { state: 'created', invites: [invite] })).toBe('recorded')
    expect(await ledger.claim(request('b'))).toEqual({
      kind: 'invited',
      entries: [
        {
          reference: 'a',
          ...scope,
          state: 'created',
          input,
          quizId: 'quiz',
          packageId: undefined,
          packageName: undefined,
          invites: [invite],
          code: undefined,
          sentAt: '2030-01-01T00:00:00.000Z',
          settledAt: '2030-01-01T00:00:00.005Z',
          campaign: 'spring',
          row: 7,
        },
      ],
    })
    clock.advance(14 * DAY_MS - 6)
    expect(await kindOf(ledger, 'c')).toBe('invited')
    clock.advance(1)
    expect(await kindOf(ledger, 'd')).toBe('claimed')
  })

  test.each(['refused', 'not-executed'] as const)('lets a key be claimed again when its send was %s', async (state) => {
    const ledger = await open()
    await ledger.claim(request('a'))
    await ledger.settle('a', { state, code: 'BAD_USER_INPUT' })
    expect(await ledger.find('a')).toMatchObject({ state, code: 'BAD_USER_INPUT' })
    expect(await kindOf(ledger, 'b')).toBe('claimed')
  })

  test('keeps an unknown outcome until a person decides, also when the link that it may have made has expired', async () => {
    const clock = standingClock()
    const ledger = await open(clock)
    await ledger.claim(request('a'))
    await ledger.settle('a', { state: 'unknown', code: 'CONNECTION_LOST' })
    const { target } = request('a')
    clock.advance(14 * DAY_MS)
    expect(await ledger.lookUp(scope, [target], 'kinds')).toEqual([{ kind: 'unknown', entries: [] }])
    clock.advance(60_000)
    expect(await kindOf(ledger, 'b')).toBe('unknown')
    expect(await ledger.lookUp(scope, [target], 'kinds')).toEqual([{ kind: 'unknown', entries: [], isLapsed: true }])
    expect(await kindOf(ledger, 'c', { although: { unknown: true } })).toBe('claimed')
    await ledger.settle('c', { state: 'created', invites: [{ ...invite, expiresAt: '2030-01-29T00:01:00.000Z' }] })
    expect(await kindOf(ledger, 'd')).toBe('invited')
    /* The later invite has expired: the earlier outcome does not matter any more. */
    clock.advance(14 * DAY_MS)
    expect(await ledger.lookUp(scope, [target], 'kinds')).toEqual([{ kind: 'expired', entries: [] }])
    expect(await kindOf(ledger, 'e')).toBe('claimed')
  })

  test('a send that was never settled stays unknown, whatever clock it was sent by', async () => {
    const path = join(ownFolder(), 'behind.ledger')
    const behind = await freshLedger(standingClock('2029-12-12T00:00:00Z'), { path, driver })
    await behind.claim(request('a'))
    await behind.close()
    const ledger = await freshLedger(standingClock(), { path, driver })
    expect(await kindOf(ledger, 'b')).toBe('unknown')
  })

  test('claims nothing more than five minutes before the latest time that it has seen', async () => {
    const path = join(ownFolder(), 'times.ledger')
    const at = (time: string, more: object = {}) => openLedger({ path, driver, clock: standingClock(time), ...more })
    const use = async (time: string, reference: string, more: Partial<ClaimRequest> = {}) => {
      const ledger = await at(time)
      onTestFinished(() => ledger.close())
      const target = { email: `${reference}@example.com`, quizIds: ['quiz'] }
      return { ledger, claim: ledger.claim(request(reference, { target, ...more })) }
    }
    const ahead = await use('2030-01-16T00:00:00Z', 'ahead')
    await ahead.claim
    for (const reads of [ahead.ledger, await at('2029-01-01T00:00:00Z')]) {
      expect(await reads.find('ahead')).toMatchObject({ state: 'sending' })
      expect(await all(reads.list())).toHaveLength(1)
      expect(await reads.check()).toMatchObject({ problems: [] })
    }
    const behind = await use('2030-01-15T23:54:59Z', 'behind')
    await expect(behind.claim).rejects.toMatchObject({
      code: 'CLOCK_SKEW',
      outcome: 'not-executed',
      message: expect.stringMatching(/says 2030-01-15 23:54:59 UTC.* at 2030-01-16 00:00:00 UTC/),
    })
    expect(await behind.ledger.find('behind')).toBeUndefined()
    expect(await (await use('2030-01-15T23:55:00Z', 'near')).claim).toEqual({ kind: 'claimed' })
    const allowed = await use('2030-01-01T00:00:00Z', 'allowed', { although: { clockSkew: true } })
    expect(await allowed.claim).toEqual({ kind: 'claimed' })
    /* What was sent is recorded by any clock, and moves the latest time only forward. */
    expect(await allowed.ledger.settle('allowed', { state: 'refused' })).toBe('recorded')
    await expect((await use('2030-01-01T00:00:00Z', 'refused')).claim).rejects.toMatchObject({ code: 'CLOCK_SKEW' })
    await (await at('2030-01-01T00:00:00Z', { acceptClock: true })).close()
    expect(await (await use('2030-01-01T00:00:00Z', 'right')).claim).toEqual({ kind: 'claimed' })
  })

  test('takes the latest time from the entries of an earlier version', async () => {
    const path = join(ownFolder(), 'older.ledger')
    const older = await freshLedger(standingClock('2030-01-16T00:00:00Z'), { path, driver })
    await older.claim(request('a'))
    await older.close()
    const file = loadDriver(driver).open(path)
    file.exec('DROP TABLE learned; DROP TABLE events; ALTER TABLE ledger DROP COLUMN latest; PRAGMA user_version = 5')
    file.close()
    const ledger = await freshLedger(standingClock(), { path, driver })
    await expect(ledger.claim(request('b'))).rejects.toMatchObject({ code: 'CLOCK_SKEW' })
    expect(await ledger.find('a')).toMatchObject({ sentAt: '2030-01-16T00:00:00.000Z' })
  })

  test('a claim by a clock that is behind does not fail others of the same moment', async () => {
    const clock = standingClock()
    const ledger = await open(clock)
    await ledger.claim(request('a'))
    clock.advance(-DAY_MS)
    const [refused, settled] = await Promise.allSettled([
      ledger.claim(request('b', { target: { email: 'b@example.com', quizIds: ['quiz'] } })),
      ledger.settle('a', { state: 'created', invites: [invite] }),
    ])
    expect([refused.status, settled]).toEqual(['rejected', { status: 'fulfilled', value: 'recorded' }])
  })

  test('calls unknown whatever was not settled when its lease ended, until its sender says better', async () => {
    const clock = standingClock()
    const ledger = await open(clock)
    await ledger.claim(request('a'))
    clock.advance(59_999)
    expect(await kindOf(ledger, 'b')).toBe('in-flight')
    clock.advance(1)
    expect(await kindOf(ledger, 'c')).toBe('unknown')
    expect((await ledger.find('a'))?.state).toBe('unknown')
    await ledger.settle('a', { state: 'created', invites: [invite] })
    expect((await ledger.find('a'))?.state).toBe('created')
  })

  test('never forgets that something was created, whatever is said later', async () => {
    const ledger = await open()
    await ledger.claim(request('a'))
    await ledger.settle('a', { state: 'created', invites: [invite] })
    await ledger.settle('a', { state: 'unknown' })
    expect((await ledger.find('a'))?.state).toBe('created')
    expect(await ledger.settle('nobody', { state: 'unknown' })).toBe('not-found')
  })

  test('an open invite still counts when a later one, asked for nevertheless, was refused', async () => {
    const ledger = await open()
    await ledger.claim(request('a'))
    await ledger.settle('a', { state: 'created', invites: [invite] })
    expect(await kindOf(ledger, 'b', { although: { invited: true } })).toBe('claimed')
    await ledger.settle('b', { state: 'refused' })
    expect(await kindOf(ledger, 'c')).toBe('invited')
  })

  test.each([
    ['the case and the space around an address', { email: ' ADA@Example.com ', quizIds: ['quiz'] }, 'in-flight'],
    ['a tag', { email: 'ada+1@example.com', quizIds: ['quiz'] }, 'claimed'],
    ['another quiz', { email: 'ada@example.com', quizIds: ['other'] }, 'claimed'],
    ['a package with that quiz', { email: 'ada@example.com', quizIds: ['other', 'quiz'], packageId: 'p' }, 'in-flight'],
    ['a package of other quizzes', { email: 'ada@example.com', quizIds: ['other'], packageId: 'quiz' }, 'claimed'],
  ])('compares candidates and quizzes: %s', async (_what, target, kind) => {
    const ledger = await open()
    await ledger.claim(request('a'))
    expect(await ledger.lookUp(scope, [target])).toMatchObject(kind === 'claimed' ? [undefined] : [{ kind }])
    expect(await kindOf(ledger, 'b', { target })).toBe(kind)
  })

  test.each([{ account: 'other' }, { world: 'other' }, { baseUrl: 'https://other.test' }])(
    'keeps scopes apart: %o',
    async (other) => {
      const ledger = await open()
      await ledger.claim(request('a'))
      expect(await kindOf(ledger, 'b', { scope: { ...scope, ...other } })).toBe('claimed')
    },
  )

  test('the quizzes of a package are claimed at the latest when its answer names them', async () => {
    const ledger = await open()
    await ledger.claim(request('a', { target: { email: 'ada@example.com', quizIds: [], packageId: 'p' } }))
    const skill = { ...invite, quizId: 'quiz', skillName: 'State', level: 'BEGINNER' }
    await ledger.settle('a', { state: 'created', invites: [skill], packageName: 'React' })
    expect(await ledger.claim(request('b'))).toMatchObject({
      kind: 'invited',
      entries: [{ packageId: 'p', packageName: 'React', invites: [skill] }],
    })
  })

  test('lists by what is asked, newest first, over as many pages as it takes', async () => {
    const clock = standingClock()
    const ledger = await open(clock)
    for (let index = 0; index < 450; index += 1) {
      const target = { email: `c${index}@example.com`, quizIds: [index % 2 === 0 ? 'even' : 'odd'] }
      void ledger.claim(request(`r${index}`, { target, campaign: index < 3 ? 'first' : 'second' }))
    }
    await ledger.claim(request('last'))
    clock.advance(1000)
    await ledger.claim(request('later', { target: { email: 'z@example.com', quizIds: ['z'] } }))
    const references = async (filter: Parameters<Ledger['list']>[0]) =>
      (await all(ledger.list(filter))).map(({ reference }) => reference)
    const everything = await references({})
    expect(everything).toHaveLength(452)
    expect(everything.slice(0, 3)).toEqual(['later', 'last', 'r449'])
    expect(await references({ quizId: 'even' })).toHaveLength(225)
    expect(await references({ email: 'C7@example.com' })).toEqual(['r7'])
    expect(await references({ campaign: 'first' })).toEqual(['r2', 'r1', 'r0'])
    expect(await references({ since: clock.now() })).toEqual(['later'])
    expect(await references({ state: 'created' })).toEqual([])
    expect(await references({ account: 'other' })).toEqual([])
  })

  test('lists what expires soon, the first to expire first, and nothing that has expired', async () => {
    const clock = standingClock('2030-01-10T00:00:00Z')
    const ledger = await open(clock)
    for (const [reference, day] of Object.entries({ late: 14, soon: 12, gone: 10, sooner: 11 })) {
      await ledger.claim(request(reference, { target: { email: `${reference}@example.com`, quizIds: ['quiz'] } }))
      await ledger.settle(reference, {
        state: 'created',
        invites: [{ ...invite, inviteId: reference, expiresAt: `2030-01-${day}T00:00:00Z` }],
      })
    }
    const found = await all(ledger.expiring(3 * DAY_MS))
    expect(found.map(({ reference }) => reference)).toEqual(['sooner', 'soon'])
    expect((await all(ledger.list({ inviteId: 'soon' }))).map(({ reference }) => reference)).toEqual(['soon'])
  })

  test('a person settles an unknown outcome, either way, and nothing else', async () => {
    const ledger = await open()
    await ledger.claim(request('a'))
    await expect(ledger.resolve('a', { notCreated: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await ledger.settle('a', { state: 'unknown' })
    const resolved = await ledger.resolve('a', { created: 'inv_9' })
    expect(resolved).toMatchObject({
      state: 'created',
      invites: [{ inviteId: 'inv_9', quizId: 'quiz', expiresAt: '2030-01-15T00:00:00.000Z' }],
    })
    await expect(ledger.resolve('a', { notCreated: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await expect(ledger.resolve('nobody', { notCreated: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    const target = { email: 'b@example.com', quizIds: ['quiz'] }
    await ledger.claim(request('b', { target }))
    await ledger.settle('b', { state: 'unknown' })
    expect(await ledger.resolve('b', { notCreated: true })).toMatchObject({ state: 'not-executed' })
    expect(await kindOf(ledger, 'c', { target })).toBe('claimed')
  })

  test('an invite of another candidate or quiz is no answer: the send is unknown', async () => {
    const clock = standingClock()
    const ledger = await open(clock)
    const other = { email: 'b@example.com', quizIds: ['quiz'] }
    const otherQuiz = { target: { email: 'ada@example.com', quizIds: ['quiz 2'] } }
    await ledger.claim(request('a'))
    expect(await ledger.settle('a', { state: 'created', invites: [invite] })).toBe('recorded')
    for (const [reference, more] of [
      ['b', { target: other }],
      ['c', otherQuiz],
    ] as const) {
      await ledger.claim(request(reference, more))
      expect(await ledger.settle(reference, { state: 'created', invites: [invite] })).toBe('mismatched')
      expect(await ledger.find(reference)).toMatchObject({ state: 'unknown', code: 'RESPONSE_MISMATCHED', invites: [] })
    }
    /* A person may be wrong in the same way. */
    const wrong = ledger.resolve('b', { created: invite.inviteId })
    await expect(wrong).rejects.toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: 'created' }] })
    expect(await ledger.find('b')).toMatchObject({ state: 'unknown' })
    /* A service may return the invite that this candidate has already. */
    await ledger.claim(request('again', { although: { invited: true } }))
    expect(await ledger.settle('again', { state: 'created', invites: [invite] })).toBe('recorded')
    /* In another scope the same identifier is another invite, and so it is when the first is over. */
    await ledger.claim(request('elsewhere', { target: other, scope: { ...scope, world: 'new' } }))
    expect(await ledger.settle('elsewhere', { state: 'created', invites: [invite] })).toBe('recorded')
    clock.advance(15 * DAY_MS)
    await ledger.claim(request('later', { target: other, although: { unknown: true } }))
    expect(await ledger.settle('later', { state: 'created', invites: [invite] })).toBe('recorded')
  })

  test('purges a candidate by address, but nothing that is on its way', async () => {
    const ledger = await open()
    await ledger.claim(request('a'))
    expect(await ledger.purge({ email: 'ADA@example.com' })).toEqual({ removed: 0, kept: 1 })
    await ledger.settle('a', { state: 'created', invites: [invite] })
    expect(await ledger.purge({ email: 'ADA@example.com' })).toEqual({ removed: 1, kept: 0 })
    expect(await ledger.find('a')).toBeUndefined()
    expect(await kindOf(ledger, 'b')).toBe('claimed')
  })

  test('purges by age only what keeps nobody from being invited twice any more: an unknown outcome stays', async () => {
    const clock = standingClock()
    const ledger = await open(clock)
    for (const state of ['refused', 'unknown', 'created'] as const) {
      await ledger.claim(request(state, { target: { email: `${state}@example.com`, quizIds: ['quiz'] } }))
      await ledger.settle(state, state === 'created' ? { state, invites: [invite] } : { state })
    }
    clock.advance(DAY_MS)
    expect(await ledger.purge({ olderThanMs: 2 * DAY_MS })).toEqual({ removed: 0, kept: 0 })
    expect(await ledger.purge({ olderThanMs: DAY_MS / 2 })).toEqual({ removed: 1, kept: 2 })
    clock.advance(14 * DAY_MS)
    expect(await ledger.purge({ olderThanMs: DAY_MS })).toEqual({ removed: 1, kept: 1 })
    const target = { email: 'unknown@example.com', quizIds: ['quiz'] }
    await ledger.claim(request('anyway', { target, although: { unknown: true } }))
    await ledger.settle('anyway', { state: 'created', invites: [{ ...invite, inviteId: 'inv_2' }] })
    expect(await ledger.purge({ olderThanMs: DAY_MS })).toEqual({ removed: 1, kept: 0 })
  })

  /** A ledger, and a way to make what is on its way there that of another process, which does not run any more. */
  async function leaving() {
    const path = join(ownFolder(), 'left.ledger')
    const clock = standingClock()
    const ledger = await freshLedger(clock, { path, driver })
    const leave = (as: { readonly anew: boolean } | { readonly owner: string }) => {
      const file = loadDriver(driver).open(path)
      const { owner } = file.prepare('SELECT owner FROM sends').get() as { owner: string }
      const { machine, ...parts } = JSON.parse(owner) as { machine: string }
      const { pid } = spawnSync(process.execPath, ['--version'])
      const left =
        'owner' in as ? as.owner : JSON.stringify({ ...parts, pid, machine: as.anew ? `before ${machine}` : machine })
      file.prepare('UPDATE sends SET owner = ?').run(left)
      file.close()
    }
    return { ledger, leave, clock }
  }

  test('a claim of a process that ended is unknown', async () => {
    const { ledger, leave } = await leaving()
    await ledger.claim(request('a'))
    leave({ anew: false })
    const [found] = await ledger.lookUp(scope, [request('a').target])
    expect(found?.kind).toBe('unknown')
    expect(await kindOf(ledger, 'b')).toBe('unknown')
  })

  test('a claim that the file refuses does not fail others of the same moment', async () => {
    const ledger = await open()
    await ledger.claim(request('a'))
    const taken = ledger.claim(request('a', { target: { email: 'other@example.com', quizIds: ['quiz'] } }))
    const settled = ledger.settle('a', { state: 'created', invites: [invite] })
    const claimed = ledger.claim(request('b', { target: { email: 'third@example.com', quizIds: ['quiz'] } }))
    await expect(taken).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE' })
    expect([await settled, await claimed]).toEqual(['recorded', { kind: 'claimed' }])
    expect((await ledger.find('a'))?.state).toBe('created')
  })

  test('a ledger works where the global object has no setImmediate, as in a browser-like test environment', async () => {
    const ledger = await open()
    vi.stubGlobal('setImmediate', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(await kindOf(ledger, 'a')).toBe('claimed')
  })

  test('what an earlier version had claimed ahead of its turn is unknown: it may have left', async () => {
    const path = join(ownFolder(), 'older.ledger')
    const older = await freshLedger(standingClock(), { path, driver })
    await older.claim(request('a'))
    await older.close()
    const file = loadDriver(driver).open(path)
    file.exec('ALTER TABLE sends ADD COLUMN held INTEGER NOT NULL DEFAULT 1')
    file.exec('DROP TABLE learned; DROP TABLE events; ALTER TABLE ledger DROP COLUMN latest; PRAGMA user_version = 4')
    file.close()
    const clock = standingClock()
    const ledger = await freshLedger(clock, { path, driver })
    expect(await kindOf(ledger, 'b')).toBe('in-flight')
    clock.advance(60_000)
    expect(await kindOf(ledger, 'b')).toBe('unknown')
  })

  /* It may be another machine or container, which goes on. */
  test('of another start of the machine a claim is waited for until its lease ends, and is unknown then', async () => {
    const { ledger, leave, clock } = await leaving()
    await ledger.claim(request('a'))
    leave({ anew: true })
    expect(await kindOf(ledger, 'b')).toBe('in-flight')
    clock.advance(60_000)
    const [found] = await ledger.lookUp(scope, [request('a').target])
    expect(found?.kind).toBe('unknown')
    expect(await kindOf(ledger, 'b')).toBe('unknown')
  })

  test('a send whose owner was written by an earlier version is waited for until its lease ends', async () => {
    const { ledger, leave, clock } = await leaving()
    await ledger.claim(request('a'))
    leave({ owner: JSON.stringify([hostname(), 1, 'a4b9d7f2-5c1e-4f6a-9d83-2b7e0c6f1a55', 1_893_456_000_000]) })
    expect(await kindOf(ledger, 'b')).toBe('in-flight')
    expect((await ledger.find('a'))?.state).toBe('sending')
    clock.advance(60_000)
    expect(await kindOf(ledger, 'b')).toBe('unknown')
  })

  /* Elsewhere a start has no name, and the time of it moves with the clock. */
  test.runIf(process.platform === 'linux')('a clock that is set is no start of the machine', async () => {
    const { ledger, leave } = await leaving()
    await ledger.claim(request('a'))
    leave({ anew: false })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await kindOf(ledger, 'b')).toBe('unknown')
  })

  test('an unknown outcome stands against nothing any more when the same was created after it', async () => {
    const clock = standingClock()
    const ledger = await open(clock)
    await ledger.claim(request('a'))
    await ledger.settle('a', { state: 'unknown' })
    await ledger.claim(request('b', { although: { unknown: true } }))
    await ledger.settle('b', { state: 'created', invites: [invite] })
    for (const although of [{}, { unknown: true }]) expect(await kindOf(ledger, 'c', { although })).toBe('invited')
    expect(await ledger.find('a')).toMatchObject({ state: 'unknown' })
    expect(await kindOf(ledger, 'c', { although: { invited: true } })).toBe('claimed')
  })

  test('an unknown outcome of a package stands, although one of its quizzes was created after it', async () => {
    const ledger = await open()
    const target = { email: 'ada@example.com', quizIds: ['quiz', 'other'], packageId: 'pkg' }
    await ledger.claim(request('a', { target }))
    await ledger.settle('a', { state: 'unknown' })
    await ledger.claim(request('b', { although: { unknown: true } }))
    await ledger.settle('b', { state: 'created', invites: [invite] })
    expect(await kindOf(ledger, 'c', { target, although: { invited: true } })).toBe('unknown')
  })

  test('a look-up tells as much of what stands against a target as is asked for, and changes nothing', async () => {
    const ledger = await open()
    await ledger.claim(request('a'))
    await ledger.settle('a', { state: 'created', invites: [invite] })
    const { target } = request('b')
    const other = { ...target, email: 'grace@example.com' }
    const whole = await ledger.find('a')
    const told = { reference: 'a', invites: [invite] }
    expect(await ledger.lookUp(scope, [other, target])).toEqual([undefined, { kind: 'invited', entries: [whole] }])
    expect(await ledger.lookUp(scope, [target], 'invites')).toEqual([{ kind: 'invited', entries: [told] }])
    expect(await ledger.lookUp(scope, [target], 'kinds')).toEqual([{ kind: 'invited', entries: [] }])
    expect(await ledger.lookUp({ ...scope, account: 'other' }, [target], 'kinds')).toEqual([undefined])
    expect(await ledger.find('a')).toEqual(whole)
  })

  test('tells of what stands against a target in the order in which it was sent, the latest last', async () => {
    const ledger = await open()
    for (const reference of ['a', 'b']) {
      await ledger.claim(request(reference, { although: { invited: true } }))
      await ledger.settle(reference, { state: 'created', invites: [invite] })
    }
    const entries = [{ reference: 'a' }, { reference: 'b' }]
    const { target } = request('c')
    expect(await ledger.claim(request('c'))).toMatchObject({ kind: 'invited', entries })
    expect(await ledger.lookUp(scope, [target], 'invites')).toMatchObject([{ kind: 'invited', entries }])
  })

  test('a lapsed send is told as unknown to who claims its key and to who looks it up', async () => {
    const clock = standingClock()
    const ledger = await open(clock)
    await ledger.claim(request('a'))
    clock.advance(60_001)
    const unknown = { kind: 'unknown', entries: [{ reference: 'a', state: 'unknown' }] }
    expect(await ledger.lookUp(scope, [request('b').target])).toMatchObject([unknown])
    expect(await ledger.claim(request('b'))).toMatchObject(unknown)
  })

  test('an invite that is settled again has its latest invites alone', async () => {
    const ledger = await open()
    await ledger.claim(request('a'))
    await ledger.settle('a', { state: 'created', invites: [invite] })
    const later = { ...invite, inviteId: 'inv_2' }
    await ledger.settle('a', { state: 'created', invites: [later] })
    expect(await ledger.find('a')).toMatchObject({ invites: [later] })
  })

  test('says what it holds and that it is whole', async () => {
    const ledger = await open()
    await ledger.claim(request('a'))
    expect(await ledger.check()).toEqual({
      problems: [],
      lookAlikes: [],
      entries: { sending: 1, created: 0, refused: 0, 'not-executed': 0, unknown: 0 },
      schemaVersion: 8,
      driver,
    })
  })

  test('has on disk what it reported: another connection sees it, and so does the next process', async () => {
    const path = join(ownFolder(), 'shared.ledger')
    const [one, other] = [
      await freshLedger(standingClock(), { path, driver }),
      await freshLedger(standingClock(), { path, driver }),
    ]
    await one.claim(request('a'))
    expect(await kindOf(other, 'b')).toBe('in-flight')
    await one.close()
    expect((await other.find('a'))?.state).toBe('sending')
  })

  test.each(DRIVERS)('opens a file that was written over %s', async (writer) => {
    const path = join(ownFolder(), 'either.ledger')
    const first = await openLedger({ path, driver: writer })
    await first.claim(request('a'))
    await first.settle('a', { state: 'created', invites: [invite] })
    await first.close()
    const second = await openLedger({ path, driver })
    onTestFinished(() => second.close())
    expect(await second.find('a')).toMatchObject({ state: 'created', invites: [invite] })
  })
})
