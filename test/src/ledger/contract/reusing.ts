import { expect } from 'vitest'
import type { ClaimRequest } from '../../../../src/ledger/rules/model.ts'
import {
  all,
  created,
  invite,
  kindOf,
  recordCreate,
  recordsOf,
  referencesOf,
  request,
  scope,
  settle,
  single,
} from './samples.ts'
import { rules } from './setting.ts'

const DAY_MS = 24 * 60 * 60_000
const reuse = (reference: string, more: Partial<ClaimRequest> = {}) =>
  request(reference, { ifInvited: 'reuse', ...more })
const candidate = { name: 'A. Byron', email: 'ADA@example.com' }

export const reusing = rules((test) => {
  test('a create that ends with an existing invite leaves its reference, which has it', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'job1', created(invite('inv_1')))
    /* Another name, an identifier of its own and no e-mail: it is the same candidate and quiz. */
    const input = { quizId: 'quiz', candidate, externalReference: 'b', sendInviteEmail: false }
    const same = { reference: 'job2', sameAs: 'job1', state: 'created', invites: [{ inviteId: 'inv_1' }] }
    expect(await ledger.claim(reuse('job2', { input }))).toMatchObject({ kind: 'taken', record: same })
    expect(await ledger.find('job2')).toMatchObject(same)
    expect(await ledger.claim(request('job2', { input }))).toMatchObject({ kind: 'taken', record: same })
    expect(await ledger.find('job1')).toMatchObject({ reference: 'job1', reusedBy: ['job2'] })
    expect(await ledger.inbox.referencesOf('job2')).toEqual(['job1', 'job2'])
    expect(await referencesOf(ledger.list())).toEqual(['job1'])
    expect(await referencesOf(ledger.list({ search: 'job2' }))).toEqual(['job1'])
    /* For ever, as its record does. */
    clock.advance(20 * DAY_MS)
    expect(await ledger.claim(request('job2', { input }))).toMatchObject({ kind: 'taken', record: same })
    expect(await ledger.claim(reuse('job3'))).toMatchObject({ kind: 'claimed' })
    await expect(ledger.resolve('job2', { undo: true })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  })

  test('an invite is reused only for its own candidate and quiz or package, with its link', async ({ ledger }) => {
    await recordCreate(ledger, 'single', created(invite('inv_1')))
    const pack = { email: 'bob@example.com', quizIds: ['quiz', 'q2'], packageId: 'pkg' }
    const skill = { skillName: 'React', level: 'BEGINNER' }
    await recordCreate(
      ledger,
      'package',
      { state: 'created', packageName: 'P', invites: [invite('inv_2', { quizId: 'quiz', ...skill })] },
      { target: pack },
    )
    await recordCreate(
      ledger,
      'by hand',
      { state: 'created', invites: [{ inviteId: 'inv_3', expiresAt: '2030-01-15T00:00:00.000Z' }] },
      { target: single('eve@example.com') },
    )
    const kinds = async (more: Partial<ClaimRequest>) => (await ledger.claim(reuse(crypto.randomUUID(), more))).kind
    expect(await kinds({ target: single('bob@example.com') })).toBe('invited')
    expect(await kinds({ target: { ...pack, email: 'ada@example.com', quizIds: ['quiz'] } })).toBe('invited')
    expect(await kinds({ target: single('eve@example.com') })).toBe('invited')
    expect(await kinds({ target: single('grace@example.com') })).toBe('claimed')
    expect(await kinds({ scope: { ...scope, account: 'globex' } })).toBe('claimed')
    expect(await kinds({ target: { ...pack, quizIds: ['quiz'] } })).toBe('taken')
    expect((await ledger.claim(reuse('job', { ifInvited: 'create' }))).kind).toBe('claimed')
  })

  test('a reference that ended with an invite belongs to it, unless that was refused', async ({ ledger }) => {
    await recordCreate(ledger, 'job1', created(invite('inv_1')))
    await recordCreate(
      ledger,
      'job2',
      { state: 'refused', code: 'FORBIDDEN' },
      { target: single('ada@example.com', 'q2') },
    )
    expect(await ledger.claim(reuse('job2'))).toMatchObject({ kind: 'taken', record: { sameAs: 'job1' } })
    expect(await referencesOf(ledger.list())).toEqual(['job1'])
    await recordCreate(ledger, 'lost', { state: 'unknown' }, { ifInvited: 'create' })
    await ledger.resolve('lost', { notCreated: true })
    expect(await ledger.claim(reuse('lost'))).toMatchObject({ kind: 'taken', record: { sameAs: 'job1' } })
    expect(await ledger.find('lost')).toMatchObject({ reference: 'lost', state: 'not-executed', isUnproven: true })
  })

  test('a reference that ended with an invite is free once that turns out not to exist', async ({ ledger }) => {
    await recordCreate(ledger, 'job1', { state: 'unknown' })
    await ledger.resolve('job1', { created: 'inv_1', challengeUrls: ['https://certify.test/challenge/inv_1'] })
    await ledger.claim(reuse('job2'))
    await ledger.resolve('job1', { undo: true })
    expect(await kindOf(ledger, { reference: 'job2' })).toBe('taken')
    await ledger.resolve('job1', { notCreated: true })
    await recordCreate(ledger, 'job2', created(invite('inv_2')))
    expect(await ledger.find('job2')).not.toHaveProperty('sameAs')
    expect(await kindOf(ledger, { reference: 'job1' })).toBe('invited')
  })

  test('a purge removes a record with the references that it answers, and then they are free', async ({ ledger }) => {
    await recordCreate(ledger, 'job1', created(invite('inv_1')))
    await ledger.claim(reuse('job2'))
    expect(await ledger.purge({ email: 'ada@example.com' })).toEqual({ removed: 1, kept: 0 })
    expect([await ledger.find('job2'), await ledger.inbox.referencesOf('job2')]).toEqual([undefined, ['job2']])
    await recordCreate(ledger, 'job2', created(invite('inv_2')), { target: single('bob@example.com') })
    expect(await ledger.find('job2')).not.toHaveProperty('sameAs')
  })

  test('its references stay with a record whose create is sent again, and with a copy of it', async ({ ledger }) => {
    await recordCreate(ledger, 'job1', created(invite('inv_1')))
    await ledger.claim(reuse('job2'))
    await recordCreate(ledger, 'lost', { state: 'unknown' }, { target: single('bob@example.com') })
    await ledger.resolve('lost', { created: 'inv_2', challengeUrls: ['https://certify.test/challenge/inv_2'] })
    await ledger.claim(reuse('job4', { target: single('bob@example.com') }))
    await ledger.resolve('lost', { undo: true })
    expect(await ledger.find('job4')).toMatchObject({ sameAs: 'lost', state: 'unknown' })
    await ledger.resolve('job4', { notCreated: true })
    await recordCreate(ledger, 'lost', undefined, { target: single('bob@example.com') })
    await settle(ledger, 'lost', created(invite('inv_5')))
    expect(await ledger.find('job4')).toMatchObject({ sameAs: 'lost', invites: [{ inviteId: 'inv_5' }] })
    expect((await recordsOf(ledger)).map(({ reusedBy }) => reusedBy)).toEqual([['job2'], ['job4']])
    expect(await kindOf(ledger, { target: single('bob@example.com') })).toBe('invited')
    expect((await all(ledger.list({ inviteId: 'inv_1' }))).map(({ reusedBy }) => reusedBy)).toEqual([['job2']])
  })
})
