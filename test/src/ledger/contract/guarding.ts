import { expect } from 'vitest'
import { CertifyClient, isCertifyError } from '../../../../src/index.ts'
import type { FetchInit } from '../../../../src/transport/fetch.ts'
import type { Ledger } from '../../../../src/ledger/rules/ledger-types.ts'
import { all } from './samples.ts'
import { rules } from './setting.ts'

export const guardingTogether = rules((test) => {
  test('two clients never send the same invite, even if its response is lost', async ({ ledger, openAgain }) => {
    const other = await openAgain()
    const service = serviceOf((email) => email.startsWith('lost'))
    /* The circuit breaker of a ledger would hold back the next creates after a lost response: each has ledgers of its own. */
    const lossy = async () => [await openAgain(), await openAgain()] as const
    const pairs = [
      [ledger, other],
      [ledger, other],
      [ledger, other],
      await lossy(),
      await lossy(),
      await lossy(),
    ] as const
    const emails = ['a', 'b', 'c', 'lost-a', 'lost-b', 'lost-c'].map((name) => `${name}@example.com`)
    const calls = pairs.flatMap(([one, two], index) =>
      [one, two, two]
        .map((each) => service.guardedBy(each))
        .map(({ invites }) => codeOf(invites.create({ quizId: 'quiz', candidate: { email: emails[index] ?? '' } }))),
    )
    const codes = await Promise.all(calls)
    expect(service.creates.toSorted()).toEqual(emails.toSorted())
    const count = (code: string | undefined) => codes.filter((each) => each === code).length
    expect(
      [undefined, 'ALREADY_INVITED', 'CONNECTION_LOST', 'PRIOR_OUTCOME_UNKNOWN'].map((code) => count(code)),
    ).toEqual([3, 6, 3, 6])
    const states = (await all(ledger.list())).map(({ state }) => state)
    expect(states.toSorted()).toEqual(['created', 'created', 'created', 'unknown', 'unknown', 'unknown'])
  })
})

/* A service without rules: it creates whatever it receives. */
function serviceOf(losesResponse: (email: string) => boolean = () => false) {
  const creates: string[] = []
  const fetch = async (_url: string, { body }: FetchInit) => {
    const { variables } = JSON.parse(body) as { variables: { input: { candidate: { email: string } } } }
    const { email } = variables.input.candidate
    creates.push(email)
    /* A process knows the invites of all its clients: the ids must be unique. */
    const id = crypto.randomUUID()
    /* Other calls get a turn while this one is in flight. */
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
    if (losesResponse(email)) throw new TypeError('the connection was lost')
    const invite = {
      inviteId: id,
      status: 'PENDING',
      challengeUrl: `https://certify.test/challenge/${id}`,
      expiresAt: '2030-01-15T00:00:00.000Z',
      emailSent: true,
    }
    return new Response(JSON.stringify({ data: { developerCreateCertificationInvite: invite } }))
  }
  const options = { baseUrl: 'https://certify.test', apiKey: 'key', fetch }
  const guardedBy = (ledger: Ledger) => new CertifyClient({ ...options, ledger })
  return { creates, guardedBy }
}

/* The code with which a call failed, or `undefined`. */
async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    if (isCertifyError(error)) return error.code
    throw error
  }
}
