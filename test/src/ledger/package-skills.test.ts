import { expect, test } from 'vitest'
import { CertifyError, type CertifyErrorCode } from '../../../src/index.ts'
import { PackageSkills } from '../../../src/ledger/rules/package-skills.ts'
import { standingClock } from './setting.ts'

const MINUTE_MS = 60_000

/** The packages of a service that lists one package with these quizzes, or fails with a code. */
function setting() {
  const clock = standingClock()
  const service: { quizIds: string[]; failure?: Error | undefined; requests: number } = { quizIds: ['q1'], requests: 0 }
  const listTracks = async () => {
    service.requests += 1
    if (service.failure !== undefined) throw service.failure
    const skills = service.quizIds.map((quizId) => ({ quizId, skillName: null, level: null }))
    const listed = { id: 'pkg', name: null, level: null, description: null, skills }
    return [{ slug: 'track', name: null, description: null, packages: [listed] }]
  }
  const skills = new PackageSkills(listTracks as never, clock)
  const learn = (...quizIds: (string | undefined)[]) => {
    const invites = quizIds.map((quizId, index) => ({ inviteId: `inv_${index}`, expiresAt: '', quizId }))
    skills.learn(' pkg', { state: 'created', invites })
  }
  return { skills, clock, service, learn, of: (id = 'pkg') => skills.of(id) }
}

const failure = (code: CertifyErrorCode) => new CertifyError({ code, outcome: 'not-executed', message: 'failed' })

test('the list is requested once for calls side by side, and again after five minutes', async () => {
  const { of, clock, service } = setting()
  expect(await Promise.all([of(), of(' pkg ')])).toEqual([['q1'], ['q1']])
  service.quizIds = ['q1', 'q2']
  clock.advance(5 * MINUTE_MS)
  expect([await of(), service.requests]).toEqual([['q1'], 1])
  clock.advance(1)
  expect([await of(), service.requests]).toEqual([['q1', 'q2'], 2])
})

test('a package that is not in the list has it requested again, once for calls side by side', async () => {
  const { of, service } = setting()
  await of()
  expect([await of('other'), service.requests]).toEqual([[], 2])
  expect([await Promise.all([of('other'), of('other')]), service.requests]).toEqual([[[], []], 3])
})

test('a package whose response names another quiz is requested again, and until then others are not', async () => {
  const { of, learn, service } = setting()
  learn('q1')
  await of()
  service.quizIds = ['q1', 'q2']
  learn('q1', ' q1 ', undefined)
  expect([await of(), service.requests]).toEqual([['q1'], 1])
  learn('q1', 'q2')
  expect([await of(), service.requests]).toEqual([['q1', 'q2'], 2])
  learn('q3')
  service.failure = failure('SERVER_FAULT')
  await expect(of()).rejects.toBe(service.failure)
})

test('without the scope to list packages a package has no known quizzes, and the list is not requested again', async () => {
  const { skills, of, service } = setting()
  expect([skills.isForbidden, await of(), skills.isForbidden]).toEqual([false, ['q1'], false])
  service.failure = failure('FORBIDDEN')
  expect([await of('other'), skills.isForbidden]).toEqual([[], true])
  expect([await of(), service.requests]).toEqual([[], 2])
})

test('a call that waits for the list of another one requests it itself if that one is aborted', async () => {
  const { of, service } = setting()
  service.failure = failure('ABORTED')
  const ends = Promise.allSettled([of(), of()])
  service.failure = undefined
  const [aborted, waiting] = await ends
  expect(aborted).toMatchObject({ reason: { code: 'ABORTED' } })
  expect([waiting, service.requests]).toEqual([{ status: 'fulfilled', value: ['q1'] }, 2])
})

test.each([
  ['the first listing fails', false, failure('SERVER_FAULT')],
  ['a later listing fails in an outage', true, failure('SERVER_FAULT')],
  ['the caller aborts the listing', true, failure('ABORTED')],
  ['the listing fails for another reason', true, new TypeError('a fault of the caller')],
])('if %s the call fails, and the next one requests the list again', async (_what, isLater, error) => {
  const { of, clock, service } = setting()
  if (isLater) await of()
  clock.advance(6 * MINUTE_MS)
  service.failure = error
  await expect(of()).rejects.toBe(error)
  service.failure = undefined
  expect(await of()).toEqual(['q1'])
})
