import { expect, onTestFinished, test, vi } from 'vitest'
import { planCampaign, runCampaign } from '../../../src/campaign/index.ts'
import { createInvite } from '../../../src/operations.ts'
import { internalsOfClient } from '../../../src/internals.ts'
import { CertifyClient, type Fetch } from '../../../src/index.ts'
import type { WholeLedger } from './whole.ts'
import { createFetch } from '../../../src/node/index.ts'
import { failureOf } from '../failing.ts'
import { startServer } from '../http-server.ts'
import { all, candidate, changedLedger, clientOf, guardedSetting, QUIZ } from './setting.ts'

const input = { quizId: QUIZ, candidate }

/** While a machine sleeps, the wall clock goes on, but timers and the monotonic clock stand still. */
function sleeps(): { readonly now: () => void } {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  return { now: () => void vi.setSystemTime(Date.now() + 600_000) }
}

async function suspendedSetting(fetchOf: (fetch: Fetch, sleep: () => void) => Fetch = (fetch) => fetch) {
  const setting = await guardedSetting()
  const sleep = sleeps()
  const client = clientOf(setting.mock, { ledger: setting.ledger, fetch: fetchOf(setting.mock.fetch, sleep.now) })
  return { ...setting, client, sleep }
}

/* A ledger whose machine sleeps during each claim. */
function sleepsDuringClaim(ledger: WholeLedger, sleep: () => void): WholeLedger {
  return changedLedger(ledger, {
    claim: async (request: Parameters<WholeLedger['claim']>[0]) => {
      const claim = await ledger.claim(request)
      sleep()
      return claim
    },
  })
}

test('a sender that slept past its lease during the claim sends nothing', async () => {
  const { ledger, mock, sleep } = await suspendedSetting()
  const guarded = clientOf(mock, { ledger: sleepsDuringClaim(ledger, sleep.now) })
  const error = await failureOf(guarded.invites.create(input, { retry: false }))
  expect(error).toMatchObject({ code: 'TIMED_OUT', outcome: 'not-executed', phase: 'not-sent' })
  expect(mock.requestLog.list()).toEqual([])
})

test('a sender that slept past its lease while waiting for Retry-After sends nothing more', async () => {
  let tries = 0
  const { client, mock } = await suspendedSetting((fetch, sleep) => async (url, init) => {
    tries += 1
    if (tries > 1) return fetch(url, init)
    sleep()
    return new Response(null, { status: 429, headers: { 'retry-after': '0' } })
  })
  const error = await failureOf(client.invites.create(input))
  expect(error).toMatchObject({ code: 'TIMED_OUT', outcome: 'not-executed' })
  expect([tries, mock.invites]).toEqual([1, []])
})

test('a campaign that slept past a lease does not send under it, and sends the row later', async () => {
  const { ledger, mock, sleep } = await suspendedSetting()
  let isFirst = true
  const sleepOnce = () => {
    if (isFirst) sleep.now()
    isFirst = false
  }
  const client = clientOf(mock, { ledger: sleepsDuringClaim(ledger, sleepOnce), allowClockSkew: true })
  const events = await all(runCampaign(await planCampaign([{ input }], { client })))
  expect(events.at(-1)).toMatchObject({ summary: { counts: { created: 1 } } })
  expect((await all(ledger.list())).map(({ state }) => state)).toEqual(['created'])
})

test.each([
  ['while it connected', false],
  ['before it used a kept connection', true],
])('a sender that slept past its lease %s sends nothing: our fetch checks the lease again', async (_when, isKept) => {
  const sleep = sleeps()
  const { url: baseUrl, received } = await startServer((response) => void response.end())
  const fetch = createFetch()
  if (isKept) {
    const { signal } = new AbortController()
    const { body } = await fetch(`${baseUrl}/first`, {
      method: 'POST',
      headers: {},
      body: '',
      redirect: 'manual',
      signal,
    })
    await all(body as AsyncIterable<unknown>)
  }
  /* Nothing has been sent when this returns. */
  const slow: Fetch = (url, init) => {
    /* A turn later it has chosen a kept connection. */
    if (isKept) setImmediate(sleep.now)
    const sent = fetch(url, init)
    if (!isKept) sleep.now()
    return sent
  }
  const client = new CertifyClient({ baseUrl, apiKey: 'key', fetch: slow })
  const mustEndBy = Date.now() + 120_000
  const error = await failureOf(
    internalsOfClient(client)?.send(createInvite, input, { mustEndBy, retry: false }) ??
      Promise.reject(new Error('no client')),
  )
  expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
  expect(received.map(({ path }) => path)).toEqual(isKept ? ['/first'] : [])
})
