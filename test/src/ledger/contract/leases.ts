import { expect } from 'vitest'
import {
  created,
  invite,
  kindOf,
  LEASE_MS,
  recordCreate,
  referencesOf,
  request,
  scope,
  settle,
  stateOf,
} from './samples.ts'
import { rules } from './setting.ts'
import { DAY_MS } from '../setting.ts'

export const leases = rules((test) => {
  test('an expired lease makes the outcome unknown: nothing is free without a decision', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', undefined)
    clock.advance(LEASE_MS - 1)
    expect(await kindOf(ledger)).toBe('in-flight')
    clock.advance(1)
    expect(await ledger.claim(request('b'))).toMatchObject({
      kind: 'unknown',
      records: [{ reference: 'a', state: 'unknown' }],
    })
    expect(await stateOf(ledger, 'a')).toBe('unknown')
    clock.advance(60 * DAY_MS)
    expect(await kindOf(ledger)).toBe('unknown')
  })

  test('find, look-up, list and check all see an expired lease', async ({ ledger, clock }) => {
    for (const reference of ['a', 'b', 'c', 'd']) {
      await recordCreate(ledger, reference, undefined, {
        target: { email: `${reference}@example.com`, quizIds: ['q'] },
      })
    }
    clock.advance(LEASE_MS)
    const [found] = await ledger.lookUp(scope, [{ email: 'a@example.com', quizIds: ['q'] }])
    expect(found).toMatchObject({ kind: 'unknown', records: [{ reference: 'a', state: 'unknown' }] })
    expect(await ledger.find('b')).toMatchObject({ state: 'unknown', code: undefined, settledAt: undefined })
    expect(await referencesOf(ledger.list({ state: 'unknown' }))).toEqual(['d', 'c', 'b', 'a'])
    expect(await ledger.check()).toMatchObject({ records: { sending: 0, unknown: 4 } })
  })

  test('the settlement of a sender whose lease has expired is recorded, and is late', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', undefined)
    clock.advance(LEASE_MS)
    expect(await stateOf(ledger, 'a')).toBe('unknown')
    expect(await settle(ledger, 'a', created(invite('inv_1')))).toBe('late')
    expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [invite('inv_1')] })
    expect(await kindOf(ledger)).toBe('invited')
  })

  test('an invite reported late overrules an expired lease and a person', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', undefined)
    clock.advance(LEASE_MS)
    await ledger.resolve('a', { notCreated: true })
    expect(await settle(ledger, 'a', created(invite('inv_1')))).toBe('late')
    expect(await kindOf(ledger)).toBe('invited')
  })
})
