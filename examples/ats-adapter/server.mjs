import { createServer } from 'node:http'
import { env } from 'node:process'
import { CertifyClient } from 'certify-sdk'
import { callbackUrls, createCallbackHandler, withCallbacks } from 'certify-sdk/callbacks'
import { mockWorldAt, openLedger, withLedger } from 'certify-sdk/ledger'
import { urlOf } from './mapping.mjs'
import { authorization, createRoutes } from './routes.mjs'

const { CERTIFY_BASE_URL, CERTIFY_API_KEY, CALLBACK_URL, CALLBACK_SECRET } = env
const { ATS_API_KEY, ATS_ORIGIN = 'https://app.greenhouse.io', PROFILE_URL, LEDGER = 'ats.ledger', PORT = '3000' } = env

/* Shorter than what an ATS waits for an answer. */
const client = new CertifyClient({ baseUrl: CERTIFY_BASE_URL, apiKey: CERTIFY_API_KEY, deadlineMs: 20_000 })
const ledger = await openLedger(LEDGER)
const urls = callbackUrls({ baseUrl: CALLBACK_URL, secrets: [CALLBACK_SECRET] })
const world = await mockWorldAt(CERTIFY_BASE_URL)
const guarded = withLedger(withCallbacks(client, urls), ledger, { account: 'acme-production', world })

/* The ledger has the result by now. The ATS then asks for it with test_status. */
async function tellAts({ reference }) {
  const url = urlOf(reference, ATS_ORIGIN)
  if (url === undefined) return
  const { ok, status } = await fetch(url, {
    method: 'PATCH',
    headers: { authorization: authorization(ATS_API_KEY) },
    redirect: 'manual',
  })
  if (!ok) throw new Error(`The ATS answered with status ${status}.`)
}

const callbacks = createCallbackHandler({
  urls,
  inbox: ledger.inbox,
  ledger,
  onEvent: tellAts,
  onFailure: (error, event) => console.error('callback', event?.key, error.code ?? error.message),
})
const profileUrlOf = ({ reference }) => new URL(encodeURIComponent(reference), PROFILE_URL).href
const routes = createRoutes({
  client,
  guarded,
  ledger,
  callbacks,
  atsKey: ATS_API_KEY,
  atsOrigin: ATS_ORIGIN,
  profileUrlOf,
})
const server = createServer(routes).listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
await callbacks.drain()

process.once('SIGTERM', () => void stop())

async function stop() {
  server.close()
  server.closeIdleConnections()
  await callbacks.close()
  await ledger.close()
}
