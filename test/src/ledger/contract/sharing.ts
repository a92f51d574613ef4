import { expect } from 'vitest'
import {
  all,
  created,
  invite,
  kindOf,
  LEASE_MS,
  recordCreate,
  request,
  scope,
  settle,
  single,
  stateOf,
} from './samples.ts'
import { skill, tracksOf } from './searching.ts'
import { failureOf } from '../../failing.ts'
import { rules } from './setting.ts'
import { completed } from './events.ts'

/** How often two ledgers meet in a test. */
const ROUNDS = Array.from({ length: 8 }, (_each, round) => round)

export const sharing = rules((test) => {
  test('a create keeps the title that an earlier process knew', async ({ ledger, openAgain }) => {
    ledger.learnTitles(scope.baseUrl, tracksOf([skill('quiz', 'State')]))
    await recordCreate(ledger, 'a', { state: 'not-executed', code: 'UNREACHABLE' })
    await recordCreate(await openAgain(), 'a', { state: 'unknown' })
    expect(await ledger.find('a')).toMatchObject({ title: 'State', level: 'ADVANCED' })
  })

  test('the revision changes with each change and ended lease, not by reading', async ({
    ledger,
    clock,
    openAgain,
  }) => {
    const other = await openAgain()
    const seen: [string, string][] = []
    const isNews = async () => {
      const before = seen.at(-1)
      const now: [string, string] = [await ledger.revision(), await other.revision()]
      seen.push(now)
      return [now[0] !== before?.[0], now[1] !== before?.[1]]
    }
    await isNews()
    const event = { key: 'k', reference: 'a', deliveryId: null, body: new Uint8Array([1]), receivedAt: clock.now() }
    const changes: readonly (() => unknown)[] = [
      () => recordCreate(other, 'a', undefined),
      () => settle(other, 'a', { state: 'unknown' }),
      () => ledger.resolve('a', { created: 'inv_1' }),
      () => ledger.inbox.learn(completed('inv_1', 'passed')),
      () => other.inbox.append(event),
      () => other.inbox.settle('k', { state: 'handled' }),
      () => other.inbox.replay('k', clock.now()),
      () => recordCreate(ledger, 'b', undefined, { target: single('b@example.com') }),
      () => clock.advance(LEASE_MS),
      () => other.move({ account: 'acme', to: 'https://new.test' }),
      () => other.purge({ email: 'b@example.com' }),
    ]
    for (const [index, change] of changes.entries()) {
      await change()
      expect([index, ...(await isNews())]).toEqual([index, true, true])
      for (const each of [ledger, other]) {
        await each.lookUp(scope, [single('a@example.com')])
        await all(each.list({ search: 'ada' }))
        await each.inbox.newest({ limit: 1 })
      }
      expect([index, ...(await isNews())]).toEqual([index, false, false])
    }
  })

  test('an account belongs to the service of its first create, until it is moved', async ({ ledger, openAgain }) => {
    const [here, there] = [scope, { ...scope, baseUrl: 'https://certify.test/eu/' }]
    /* Looking up binds nothing, nor does a create at an address of this machine or of a mock, or one that created nothing. */
    await recordCreate(
      ledger,
      'typo',
      { state: 'not-executed' },
      { scope: { ...scope, baseUrl: 'https://certfy.test' } },
    )
    await ledger.lookUp(there, [single('ada@example.com')])
    await recordCreate(ledger, 'local', undefined, { scope: { ...scope, baseUrl: 'http://localhost:8080' } })
    await recordCreate(ledger, 'mock', undefined, { scope: { ...there, world: 'w' } })
    await recordCreate(ledger, 'a', created(invite('inv_1')), { scope: here, target: single('bob@example.com') })
    const other = await openAgain()
    for (const each of [ledger, other]) {
      const claim = each.claim(request('b', { scope: there, target: single('bob@example.com') }))
      await expect(claim).rejects.toMatchObject({
        code: 'WRONG_SERVICE',
        outcome: 'not-executed',
        message: expect.stringMatching(
          /“acme” belongs to https:\/\/certify\.test, .* for https:\/\/certify\.test\/eu\./,
        ),
      })
    }
    expect(await ledger.find('b')).toBeUndefined()
    await ledger.move({ account: ' acme', to: there.baseUrl })
    expect((await other.check()).accounts).toEqual({ acme: 'https://certify.test/eu' })
    expect(await kindOf(other, { scope: there, target: single('bob@example.com') })).toBe('invited')
    await expect(other.move({ account: 'globex', to: there.baseUrl })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    })
    await expect(other.move({ account: 'acme', to: 'nowhere' })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  })

  test('a former service gets what is recorded, and no hint moves back', async ({ ledger, clock, openAgain }) => {
    const other = await openAgain()
    const [old, next, third] = ['https://certify.test', 'https://new.test', 'https://third.test']
    const at = (baseUrl: string, reference: string) =>
      request(reference, { scope: { ...scope, baseUrl }, target: single(`${reference}@example.com`) })
    const recorded = at(old, 'a')
    await recordCreate(ledger, 'a', created(invite('inv_1')), recorded)
    const refused = async (baseUrl: string) => {
      const { code, outcome, retryable, message, hint = '' } = await failureOf(other.claim(at(baseUrl, 'b')))
      expect({ code, outcome, retryable }).toEqual({
        code: 'WRONG_SERVICE',
        outcome: 'not-executed',
        retryable: true,
      })
      return { message, hint }
    }
    expect(await refused(next)).toMatchObject({
      message: expect.stringContaining(`belongs to ${old}, and this client is for ${next}`),
      hint: expect.stringContaining(`certify ledger move --account acme --to ${next}`),
    })
    clock.advance(3_600_000)
    await ledger.move({ account: 'acme', to: next })
    const moved = await refused(old)
    expect(moved.message).toContain(`has moved to ${next} on 2030-01-01T01:00:00.000Z, and this client is for ${old}`)
    expect(moved.hint).toContain(`Restart this process with ${next}`)
    expect(moved.hint).not.toContain('move')
    for (const baseUrl of [old, next, third])
      expect(await other.claim({ ...recorded, scope: { ...scope, baseUrl } })).toMatchObject({ kind: 'taken' })
    expect((await refused(third)).message).toContain(`belongs to ${next}`)
    /* Moved on, and back: an address that is used again is no former one. */
    await ledger.move({ account: 'acme', to: third })
    await ledger.move({ account: 'acme', to: old })
    expect(await other.claim(at(old, 'c'))).toMatchObject({ kind: 'claimed' })
    for (const baseUrl of [next, third]) expect((await refused(baseUrl)).message).toContain(`has moved to ${old}`)
  })

  test('of two first creates for two services at once, one is recorded', async ({ ledger, openAgain }) => {
    const other = await openAgain()
    for (let round = 0; round < 8; round += 1) {
      const claims = [ledger, other].map((each, index) =>
        each.claim(
          request(`${index}-${round}`, {
            scope: { ...scope, account: `a${round}`, baseUrl: `https://s${index}.test` },
          }),
        ),
      )
      const ends = await Promise.allSettled(claims)
      expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    }
    expect(Object.keys((await ledger.check()).accounts)).toHaveLength(8)
  })

  test('each sees what the other recorded as soon as its promise resolves', async ({ ledger, openAgain }) => {
    const other = await openAgain()
    await recordCreate(ledger, 'a', undefined)
    expect(await kindOf(other)).toBe('in-flight')
    expect(await settle(other, 'a', created(invite('inv_1')))).toBe('recorded')
    expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [invite('inv_1')] })
  })

  test('the records survive closing one of them, or both', async ({ ledger, openAgain }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    const before = await ledger.find('a')
    const other = await openAgain()
    await ledger.close()
    await other.close()
    const later = await openAgain()
    expect(await later.find('a')).toEqual(before)
    expect(await kindOf(later)).toBe('invited')
  })

  test('only one of many concurrent callers gets the claim', async ({ ledger, openAgain }) => {
    const ledgers = [ledger, await openAgain()]
    for (const round of ROUNDS) {
      const target = single(`c${round}@example.com`)
      const kinds = await Promise.all([...ledgers, ...ledgers].map((each) => kindOf(each, { target })))
      expect(kinds.toSorted()).toEqual(['claimed', 'in-flight', 'in-flight', 'in-flight'])
    }
    expect(await ledger.check()).toMatchObject({ records: { sending: ROUNDS.length } })
  })

  test('a package and one of its quizzes are never both claimed', async ({ ledger, openAgain }) => {
    const other = await openAgain()
    for (const round of ROUNDS) {
      const email = `c${round}@example.com`
      const [pack, one, two] = await Promise.all([
        kindOf(ledger, { target: { email, packageId: 'pkg', quizIds: ['q1', 'q2'] } }),
        kindOf(other, { target: single(email, 'q1') }),
        kindOf(other, { target: single(email, 'q2') }),
      ])
      const isOne = pack === 'claimed' ? one !== 'claimed' && two !== 'claimed' : one === 'claimed' || two === 'claimed'
      expect(isOne, `${pack}, ${one}, ${two}`).toBe(true)
    }
  })

  test('different quizzes of one candidate can be claimed concurrently', async ({ ledger, openAgain }) => {
    const other = await openAgain()
    for (const round of ROUNDS) {
      const email = `c${round}@example.com`
      const claims = [ledger, other].map((each, index) => kindOf(each, { target: single(email, `q${index}`) }))
      expect(await Promise.all(claims)).toEqual(['claimed', 'claimed'])
    }
  })

  test('an expired send is unknown to both, even if both notice at once', async ({ ledger, clock, openAgain }) => {
    const other = await openAgain()
    await recordCreate(ledger, 'a', undefined)
    clock.advance(LEASE_MS)
    const kinds = await Promise.all([kindOf(ledger), kindOf(other), stateOf(ledger, 'a'), stateOf(other, 'a')])
    expect(kinds).toEqual(['unknown', 'unknown', 'unknown', 'unknown'])
  })

  test('no invite is lost if the lease ends as the response arrives', async ({ ledger, clock, openAgain }) => {
    const other = await openAgain()
    for (const round of ROUNDS) {
      const target = single(`c${round}@example.com`)
      await recordCreate(ledger, `r${round}`, undefined, { target })
      clock.advance(LEASE_MS)
      const [recorded, kind] = await Promise.all([
        settle(ledger, `r${round}`, created(invite(`inv_${round}`))),
        kindOf(other, { target }),
      ])
      expect(recorded).toBe('late')
      expect(['unknown', 'invited']).toContain(kind)
      expect(await other.find(`r${round}`)).toMatchObject({ state: 'created', invites: [invite(`inv_${round}`)] })
    }
  })

  test('an invite in two concurrent responses is recorded for one candidate only', async ({ ledger, openAgain }) => {
    const other = await openAgain()
    for (const round of ROUNDS) {
      await recordCreate(ledger, `a${round}`, undefined, { target: single(`a${round}@example.com`) })
      await recordCreate(other, `b${round}`, undefined, { target: single(`b${round}@example.com`) })
      const ends = await Promise.all([
        settle(ledger, `a${round}`, created(invite(`inv_${round}`))),
        settle(other, `b${round}`, created(invite(`inv_${round}`))),
      ])
      expect(ends.toSorted()).toEqual(['mismatched', 'recorded'])
      const states = [await stateOf(ledger, `a${round}`), await stateOf(ledger, `b${round}`)]
      expect(new Set(states)).toEqual(new Set(['created', 'unknown']))
    }
  })

  test('created wins over not created if both are recorded concurrently', async ({ ledger, openAgain }) => {
    const other = await openAgain()
    const references = ROUNDS.map((round) => `r${round}`)
    for (const reference of references) {
      await recordCreate(ledger, reference, { state: 'unknown' }, { target: single(`${reference}@example.com`) })
    }
    await Promise.allSettled([
      ...references.map((reference) => ledger.resolve(reference, { notCreated: true })),
      ...references.toReversed().map((reference) => other.resolve(reference, { created: `inv_${reference}` })),
    ])
    for (const reference of references) {
      const invites = [{ inviteId: `inv_${reference}` }]
      expect(await ledger.find(reference)).toMatchObject({ state: 'created', invites })
    }
  })

  test('a send claimed during a purge of its candidate is never removed', async ({ ledger, openAgain }) => {
    const other = await openAgain()
    for (const round of ROUNDS) {
      const email = `c${round}@example.com`
      await recordCreate(ledger, `old-${round}`, { state: 'refused' }, { target: single(email) })
      const [claim] = await Promise.all([
        ledger.claim(request(`new-${round}`, { target: single(email) })),
        other.purge({ email }),
      ])
      expect(claim).toMatchObject({ kind: 'claimed' })
      expect(await stateOf(other, `new-${round}`)).toBe('sending')
      expect(await kindOf(other, { target: single(email) })).toBe('in-flight')
    }
  })
})
