import { expect, test } from 'vitest'
import { createMockServer } from '../../../mock-server/index.ts'
import { failureOf } from '../failing.ts'
import { clientOf, guardedSetting, QUIZ } from './setting.ts'

const CREATE = 'developerCreateCertificationInvite'
const inputOf = (email: string) => ({ quizId: QUIZ, candidate: { email } })

test('an account for which the service fails delays no other one, and loses few of its own', async () => {
  const { mock, ledger } = await guardedSetting()
  const keyOf = (name: string) => mock.apiKeys.find((key) => key.name === name)?.key ?? ''
  const sick = clientOf(mock, { ledger, account: 'sick', apiKey: keyOf('invite') })
  const well = clientOf(mock, { ledger, account: 'well' })
  mock.faults.add({ operation: CREATE, key: 'invite', fault: 503, times: Number.POSITIVE_INFINITY })
  const ends: string[] = []
  for (let count = 0; count < 20; count += 1) {
    ends.push((await failureOf(sick.invites.create(inputOf(`sick${count}@example.com`)))).code)
    await well.invites.create(inputOf(`well${count}@example.com`))
  }
  expect(ends).toEqual(['SERVER_FAULT', 'SERVER_FAULT', ...Array.from({ length: 18 }, () => 'SERVICE_UNAVAILABLE')])
  expect(await ledger.count({ account: 'well' })).toBe(20)
})

test('the clients of one account share a breaker, and another service has its own', async () => {
  const { mock, ledger, guarded } = await guardedSetting()
  const other = createMockServer({ now: '2030-01-01T00:00:00Z', baseUrl: 'https://other.example' })
  const elsewhere = clientOf(other, { ledger, account: 'other' })
  mock.faults.add({ fault: 503, times: Number.POSITIVE_INFINITY })
  await failureOf(guarded.invites.create(inputOf('lost@example.com')))
  const next = () => clientOf(mock, { ledger }).invites.create(inputOf('next@example.com'))
  expect(await failureOf(next())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(await elsewhere.invites.create(inputOf('next@example.com'))).toMatchObject({ status: 'PENDING' })
})
