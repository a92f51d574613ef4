// POST /tenants/acme/invites, GET /tenants/acme/invites. Put your own authentication in front of it.
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { env } from 'node:process'
import { isCertifyError } from 'certify-sdk'
import { openLedger } from 'certify-sdk/ledger'
import { keyFiles } from './key-files.mjs'
import { createTenants } from './tenants.mjs'

const { CERTIFY_BASE_URL, KEYS = 'keys', LEDGER = 'tenants.ledger', PORT = '3000' } = env
const ledger = await openLedger(LEDGER)
const tenants = await createTenants({ baseUrl: CERTIFY_BASE_URL, ledger, keyOf: keyFiles(KEYS) })

async function respond({ method, url }, body) {
  const [, tenant, reference] = /^\/tenants\/([\w-]+)\/invites(?:\/([\w.+=-]+))?$/.exec(url) ?? []
  if (tenant === undefined || !(await readdir(KEYS)).includes(tenant))
    return [404, { error: 'There is no such tenant.' }]
  if (method === 'POST') {
    const input = inputOf(body)
    return input === undefined ? [400, { error: 'This is no input.' }] : [200, await tenants.invite(tenant, input)]
  }
  if (reference === undefined) return [200, await tenants.list(tenant)]
  const entry = await tenants.find(tenant, reference)
  return entry === undefined ? [404, { error: 'There is no such invite.' }] : [200, { state: entry.state }]
}

function inputOf(body) {
  try {
    const input = JSON.parse(body)
    return typeof input === 'object' && input !== null ? input : undefined
  } catch {
    return undefined
  }
}

const LONGEST_BODY = 65_536

const STATUS = {
  ALREADY_INVITED: 409,
  PRIOR_OUTCOME_UNKNOWN: 409,
  IN_PROGRESS: 409,
  BAD_USER_INPUT: 422,
  INPUT_INVALID: 400,
  CREDENTIALS_UNAVAILABLE: 503,
  RATE_LIMITED: 503,
  TOO_LONG: 413,
}

async function answer(request, response) {
  const [status, body] = await bodyOf(request)
    .then((text) => respond(request, text))
    .catch((error) => {
      const { code, outcome, reference } =
        isCertifyError(error) || error.code === 'TOO_LONG' ? error : { code: error.name }
      console.error(request.url, code, outcome, reference)
      return [STATUS[code] ?? 502, { code, outcome, reference }]
    })
  /* No connection is kept: the end of the program would wait for it. */
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body))
}

async function bodyOf(request) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > LONGEST_BODY) throw Object.assign(new Error('The body is too long.'), { code: 'TOO_LONG' })
  }
  return text
}

const server = createServer((request, response) => void answer(request, response)).listen(Number(PORT), '127.0.0.1')
server.once('listening', () => console.log(`http://127.0.0.1:${server.address().port}`))

process.once('SIGTERM', () => void stop())

/* The creates that are being sent are completed and recorded first. */
async function stop() {
  await new Promise((resolve) => server.close(resolve))
  await ledger.close()
}
