import { readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ClaimRequest, DriverName, Ledger } from '../../../src/ledger/index.ts'
import { openLedger } from '../../../src/ledger/index.ts'
import { loadDriver } from '../../../src/ledger/sqlite/driver.ts'
import { all, DRIVERS, freshLedger, ownFolder, standingClock } from './setting.ts'

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

describe.each(DRIVERS)('a ledger in a file over %s', (driver: DriverName) => {
  const open = (clock = standingClock()) => freshLedger(clock, { driver })

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

  test('a purge of a candidate leaves nothing of what was learned in the file', async () => {
    const ledger = await open()
    await ledger.claim(request('a'))
    await ledger.settle('a', { state: 'created', invites: [invite] })
    const facts = {
      id: null,
      name: '',
      data: {},
      raw: new Uint8Array(),
      externalReference: null,
      occurredAt: null,
      reference: 'a',
      receivedAt: Date.parse('2030-01-01T00:00:00Z'),
    }
    const result = { result: 'canary-result', quizId: 'quiz', validUntil: 'canary-validity' }
    await ledger.learn?.({ ...facts, ...result, type: 'certification.completed', key: 'one', inviteId: 'inv_1' })
    const followUp = { originalInviteId: 'inv_1', followUpInviteId: 'canary-follow-up', kind: 'retake' }
    await ledger.learn?.({ ...facts, ...followUp, type: 'certification.follow_up_claimed', key: 'two' })
    expect(await ledger.find('a')).toMatchObject({ followUps: [{ inviteId: 'canary-follow-up' }] })
    await ledger.purge({ email: 'ada@example.com' })
    await ledger.close()
    expect(readFileSync(ledger.path, 'latin1')).not.toMatch(/canary|ada@example/)
  })
})
