import { expect } from 'vitest'
import { created, invite, kindOf, recordCreate, request, settle, single, stateOf } from './samples.ts'
import { rules } from './setting.ts'
import { DAY_MS } from '../setting.ts'

const grace = { target: single('grace@example.com') }

export const clocks = rules((test) => {
  test('the clock option is used throughout, and exposed to callers', async ({ ledger, clock }) => {
    clock.advance(12_345)
    expect(ledger.clock.now()).toBe(clock.now())
    await recordCreate(ledger, 'a', undefined)
    clock.advance(5)
    await settle(ledger, 'a', created(invite('inv_1')))
    expect(await ledger.find('a')).toMatchObject({
      sentAt: '2030-01-01T00:00:12.345Z',
      settledAt: '2030-01-01T00:00:12.350Z',
    })
  })

  test('a clock five minutes behind the latest claim claims nothing, unless allowed', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'ahead', undefined)
    clock.advance(-300_001)
    await expect(ledger.claim(request('behind', grace))).rejects.toMatchObject({
      code: 'CLOCK_SKEW',
      outcome: 'not-executed',
    })
    expect(await ledger.find('behind')).toBeUndefined()
    expect(await kindOf(ledger, { ...grace, allowClockSkew: true })).toBe('claimed')
    clock.advance(1)
    expect(await kindOf(ledger, { target: single('near@example.com') })).toBe('claimed')
  })

  test('an invite blocks until it has expired by the ledger’s clock and the service’s', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    const claimAt = (serviceTime?: number) => ledger.claim(request(`at-${serviceTime}`, { serviceTime }))
    expect(await claimAt(clock.now() + 15 * DAY_MS)).not.toHaveProperty('hasExpired')
    const before = clock.now()
    clock.advance(15 * DAY_MS)
    for (const unexpired of [before, Number.NEGATIVE_INFINITY])
      expect(await claimAt(unexpired)).toMatchObject({ kind: 'invited', hasExpired: true })
    expect(await claimAt(clock.now())).toMatchObject({ kind: 'claimed' })
  })

  test('a clock that is behind can still read, settle and resolve', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', undefined)
    await recordCreate(ledger, 'b', { state: 'unknown' }, grace)
    clock.advance(-DAY_MS)
    expect(await stateOf(ledger, 'a')).toBe('sending')
    expect(await ledger.check()).toMatchObject({ problems: [], records: { sending: 1, unknown: 1 } })
    expect(await settle(ledger, 'a', created(invite('inv_1')))).toBe('recorded')
    expect(await ledger.resolve('b', { notCreated: true })).toMatchObject({ state: 'not-executed' })
  })

  test('only claims set the latest time; settling or resolving with a fast clock does not', async ({
    ledger,
    clock,
  }) => {
    await recordCreate(ledger, 'a', undefined)
    await recordCreate(ledger, 'b', { state: 'unknown' }, grace)
    clock.advance(DAY_MS)
    await settle(ledger, 'a', created(invite('inv_1')))
    await ledger.resolve('b', { notCreated: true })
    clock.advance(-DAY_MS)
    expect(await kindOf(ledger, grace)).toBe('claimed')
  })

  test('after a clock was ahead, one allowed claim is enough: the newest record counts', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'ahead', undefined)
    clock.advance(-DAY_MS)
    await recordCreate(ledger, 'allowed', { state: 'refused' }, { ...grace, allowClockSkew: true })
    expect(await ledger.claim(request('b', grace))).toMatchObject({ kind: 'claimed' })
  })
})
