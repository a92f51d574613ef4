import { expect } from 'vitest'
import type { Settlement } from '../../../../src/ledger/rules/model.ts'
import { created, invite, kindOf, recordCreate, request, scope, settle, single, stateOf } from './samples.ts'
import { rules } from './setting.ts'
import { DAY_MS } from '../setting.ts'

const ENDS: readonly Settlement[] = [
  created(invite('inv_1')),
  { state: 'unknown', code: 'CONNECTION_LOST' },
  { state: 'refused', code: 'BAD_USER_INPUT' },
  { state: 'not-executed', code: 'UNREACHABLE' },
]

export const settling = rules((test) => {
  test('a second settlement never replaces better knowledge with worse', async ({ ledger }) => {
    for (const [row, first] of ENDS.entries()) {
      for (const [column, second] of ENDS.entries()) {
        const reference = `${row}-${column}`
        const own = (end: Settlement) => (end.state === 'created' ? created(invite(reference)) : end)
        await recordCreate(ledger, reference, own(first), { target: single(`${reference}@example.com`) })
        expect(await settle(ledger, reference, own(second))).toBe('recorded')
        const isCreated = first.state === 'created' || second.state === 'created'
        const end = isCreated ? created() : first.state === 'unknown' ? second : first
        expect(await ledger.find(reference), `${first.state}, then ${second.state}`).toMatchObject({
          state: end.state,
          code: 'code' in end ? end.code : undefined,
          invites: isCreated ? [{ inviteId: reference }] : [],
        })
      }
    }
  })

  test('settling an unknown send is reported as not found', async ({ ledger }) => {
    for (const end of ENDS) expect(await settle(ledger, 'nobody', end)).toBe('not-found')
    expect(await ledger.find('nobody')).toBeUndefined()
  })

  test('settling as created records the invites and the package name as returned', async ({ ledger, clock }) => {
    const target = { email: 'ada@example.com', quizIds: ['q1', 'q2'], packageId: 'pkg' }
    await recordCreate(ledger, 'a', undefined, { target })
    clock.advance(5)
    const invites = [
      invite('inv_1', { quizId: 'q1', skillName: 'State', level: 'BEGINNER', emailSent: false }),
      { inviteId: 'inv_2', expiresAt: '2030-01-15T00:00:00.000Z', quizId: 'q2' },
    ]
    expect(await settle(ledger, 'a', { state: 'created', invites, packageName: 'React' })).toBe('recorded')
    expect(await ledger.find('a')).toEqual({
      reference: 'a',
      ...scope,
      state: 'created',
      input: request('a', { target }).input,
      packageId: 'pkg',
      packageName: 'React',
      invites,
      sentAt: '2030-01-01T00:00:00.000Z',
      settledAt: '2030-01-01T00:00:00.005Z',
      history: [
        { at: '2030-01-01T00:00:00.000Z', what: 'sent' },
        { at: '2030-01-01T00:00:00.005Z', what: 'created' },
      ],
      changesOmitted: 0,
    })
  })

  test('an empty package name is recorded: it is not the same as none', async ({ ledger }) => {
    const target = { email: 'ada@example.com', quizIds: [], packageId: 'pkg' }
    await recordCreate(ledger, 'a', { state: 'created', invites: [], packageName: '' }, { target })
    expect((await ledger.find('a'))?.packageName).toBe('')
  })

  test('a created send without an invite id blocks as long as an invite could be open', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', created())
    clock.advance(14 * DAY_MS)
    expect(await kindOf(ledger)).toBe('invited')
    clock.advance(60_000)
    expect(await kindOf(ledger)).toBe('claimed')
  })

  test('settling as created again replaces the invites with the latest ones', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    await settle(ledger, 'a', created(invite('inv_2')))
    expect((await ledger.find('a'))?.invites).toEqual([invite('inv_2')])
  })

  test('an open invite of another candidate or quiz makes the send unknown', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    for (const [reference, target] of [
      ['b', single('grace@example.com')],
      ['c', single('ada@example.com', 'other')],
    ] as const) {
      await recordCreate(ledger, reference, undefined, { target })
      expect(await settle(ledger, reference, created(invite('inv_1')))).toBe('mismatched')
      expect(await ledger.find(reference)).toMatchObject({
        state: 'unknown',
        code: 'RESPONSE_MISMATCHED',
        invites: [],
      })
      expect(await kindOf(ledger, { target })).toBe('unknown')
    }
    expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [invite('inv_1')] })
  })

  test('an invite id may repeat in another scope, or after its invite has expired', async ({ ledger, clock }) => {
    const target = single('grace@example.com')
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    await recordCreate(ledger, 'elsewhere', created(invite('inv_1')), { target, scope: { ...scope, world: 'new' } })
    clock.advance(15 * DAY_MS)
    await recordCreate(ledger, 'later', created(invite('inv_1', { expiresAt: '2030-02-01T00:00:00.000Z' })), {
      target,
    })
    expect(await stateOf(ledger, 'later')).toBe('created')
  })
})
