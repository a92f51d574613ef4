import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { CertifyClient, CertifyError, isCertifyError } from '../../src/index.ts'
import { everythingShown, failureOf, thrownBy } from './failing.ts'
import { json, startServer } from './http-server.ts'

const canary = 'canary'
const input = {
  quizId: 'quiz_1',
  candidate: { name: `${canary} name`, email: `${canary}@example.com` },
  externalReference: `${canary} reference`,
  callbackUrl: `https://${canary}:token@hooks.example.com`,
}
const leak = `invalid value {"email":"${canary}@example.com"} for ${canary}`
const invite = { inviteId: 7, challengeUrl: `https://certify.test/${canary}` }

test('a header that cannot be sent is not quoted, neither its name nor its value', async () => {
  const baseUrl = 'https://certify.test'
  const bad = [{ 'x-a': `${canary}\n` }, { [`${canary} name`]: 'x' }, { [`${canary}\r\nx`]: canary }]
  for (const headers of bad) {
    const errors = [
      thrownBy(() => new CertifyClient({ baseUrl, apiKey: 'ck_1', headers })),
      await failureOf(new CertifyClient({ baseUrl, apiKey: 'ck_1', headers: () => headers }).tracks.list()),
    ]
    for (const error of errors) expect(everythingShown(error)).not.toContain(canary)
  }
})

test('a refused header is named in the client’s spelling, and its value is not quoted', async () => {
  const headers = { 'X-API-Key': `ck_${canary}`, [`x-${canary}`]: canary }
  const error = thrownBy(() => new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'ck_1', headers }))
  expect(error.message).toContain('headers must not set x-api-key')
  expect(everythingShown(error)).not.toContain(canary)
})

test('a client shows neither its key nor its session nor its headers', () => {
  const baseUrl = 'https://certify.test'
  const clients = [
    new CertifyClient({ baseUrl, apiKey: `ck_${canary}` }),
    new CertifyClient({ baseUrl, adminSession: { headers: { cookie: canary } } }),
    new CertifyClient({ baseUrl, apiKey: 'ck_1', headers: { authorization: canary } }),
    new CertifyClient({ baseUrl, apiKey: 'ck_1', headers: () => ({ authorization: canary }) }),
  ]
  for (const client of clients) expect(everythingShown(client)).not.toContain(canary)
})

test('the service’s messages and the partial result are available, but only by name', async () => {
  const server = await startServer(
    json({ data: { developerCreateCertificationInvite: invite }, errors: [{ message: leak }] }),
  )
  const error = await failureOf(new CertifyClient({ baseUrl: server.url, apiKey: 'ck_1' }).invites.create(input))
  expect(error.apiMessages).toEqual([leak])
  expect(error.partial).toEqual({ developerCreateCertificationInvite: invite })
})

test('an error describes itself in JSON and when inspected', () => {
  const error = new CertifyError({
    code: 'TIMED_OUT',
    outcome: 'unknown',
    message: 'late',
    hint: 'check',
    status: undefined,
  })
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'CertifyError',
    message: 'late',
    code: 'TIMED_OUT',
    outcome: 'unknown',
    retryable: false,
    hint: 'check',
  })
  /* Loggers and uncaught errors show an error's own fields. */
  expect(Object.keys(error).toSorted()).toEqual(['code', 'hint', 'name', 'outcome', 'retryable'])
  expect([error.issues, error.possibleReasons, error.prior, error.missingQuizIds]).toEqual([[], [], [], []])
  expect(inspect(error)).toMatch(/^CertifyError: late\n[\s\S]*code: 'TIMED_OUT'/)
})

test('isCertifyError recognises an error of another copy of the package, and nothing else', () => {
  const error = new CertifyError({ code: 'ABORTED', outcome: 'unknown', message: 'x' })
  const foreign = Object.assign(Object.create(null), { [Symbol.for('certify-sdk/CertifyError')]: true })
  for (const each of [error, foreign]) {
    expect(isCertifyError(each)).toBe(true)
    expect(each instanceof CertifyError).toBe(true)
  }
  for (const each of [new Error('x'), { code: 'ABORTED' }, null, undefined, 'x']) {
    expect(isCertifyError(each)).toBe(false)
    expect((each as unknown) instanceof CertifyError).toBe(false)
  }
  class Special extends CertifyError {}
  expect(error instanceof Special).toBe(false)
})
