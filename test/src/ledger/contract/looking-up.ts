import { expect } from 'vitest'
import { created, invite, recordCreate, scope, single } from './samples.ts'
import { rules } from './setting.ts'
import { DAY_MS } from '../setting.ts'

const ada = single('ada@example.com')

export const lookingUp = rules((test) => {
  test('a look-up answers every target in order, with its entries, and claims nothing', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    await recordCreate(ledger, 'b', { state: 'unknown' }, { target: single('grace@example.com') })
    const whole = await ledger.find('a')
    const targets = [single('nobody@example.com'), ada, single('grace@example.com'), ada]
    const invited = { kind: 'invited', records: [whole], missingQuizIds: [] }
    expect(await ledger.lookUp(scope, targets)).toEqual([
      undefined,
      invited,
      { kind: 'unknown', records: [await ledger.find('b')], missingQuizIds: [] },
      invited,
    ])
    expect(await ledger.lookUp({ ...scope, account: 'other' }, [ada])).toEqual([undefined])
    expect(await ledger.find('a')).toEqual(whole)
    expect(await ledger.lookUp(scope, [])).toEqual([])
  })

  test('a look-up of many targets answers each one', async ({ ledger }) => {
    await recordCreate(ledger, 'a', undefined)
    const many = Array.from({ length: 300 }, (_each, index) => single(`c${index}@example.com`))
    const found = await ledger.lookUp(scope, [...many, ada])
    expect(found).toHaveLength(301)
    expect(found.slice(0, 300).every((each) => each === undefined)).toBe(true)
    expect(found[300]).toMatchObject({ kind: 'in-flight' })
  })

  test('a look-up reports an expired invite, and nothing for sends that created none', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')))
    await recordCreate(ledger, 'b', { state: 'refused' }, { target: single('grace@example.com') })
    clock.advance(14 * DAY_MS)
    const targets = [ada, single('grace@example.com')]
    expect(await ledger.lookUp(scope, targets)).toEqual([{ kind: 'expired', hasResult: false }, undefined])
  })

  test('a package covers its quizzes: what blocks them is found, once', async ({ ledger }) => {
    const target = { email: 'ada@example.com', packageId: 'pkg', quizIds: ['q1', 'q2'] }
    await recordCreate(ledger, 'a', created(invite('inv_1', { quizId: 'q1' })), { target })
    const [found] = await ledger.lookUp(scope, [target])
    expect(found).toMatchObject({ records: [{ reference: 'a' }], missingQuizIds: [] })
    expect(await ledger.lookUp(scope, [single('ada@example.com', 'q2')])).toMatchObject([{ kind: 'invited' }])
  })
})
