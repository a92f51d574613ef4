// The application under test: a form that invites, and a list that events keep up to date.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { env } from 'node:process'
import { text } from 'node:stream/consumers'
import { CertifyClient, isCertifyError } from 'certify-sdk'
import { callbackUrls, createCallbackHandler, withCallbacks } from 'certify-sdk/callbacks'
import { openLedger, withLedger } from 'certify-sdk/ledger'

const { CERTIFY_BASE_URL, CERTIFY_API_KEY, PORT } = env
/* For a test. A real application keeps its ledger in a file or a database, and its secret: see docs/callbacks.md. */
const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: [randomBytes(32).toString('hex')] })
const ledger = await openLedger(':memory:')
const client = new CertifyClient({ baseUrl: CERTIFY_BASE_URL, apiKey: CERTIFY_API_KEY })
const guarded = withLedger(withCallbacks(client, urls), ledger, { account: 'test' })
const callbacks = createCallbackHandler({ urls, inbox: ledger.inbox, ledger, onEvent: () => {} })

async function page(message = '') {
  const rows = []
  for await (const { input, state, invites } of ledger.list()) {
    const results = invites.map(({ result = 'invited' }) => result)
    rows.push(`<li>${escaped(input.candidate.email)}: ${escaped(results.join(', ') || state)}</li>`)
  }
  return `<!doctype html><title>Hiring</title><main><form method="post">
    <label>E-mail <input name="email" type="email" required></label> <button>Invite</button>
  </form><p role="status">${message}</p><ul>${rows.join('')}</ul></main>`
}

async function invite(email) {
  try {
    await guarded.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email } })
    return 'Invited.'
  } catch (error) {
    if (!isCertifyError(error)) throw error
    if (error.code === 'ALREADY_INVITED') return 'Already invited.'
    return error.outcome === 'not-executed' ? 'Not invited.' : 'It is not known whether an invite was sent.'
  }
}

const escaped = (value) => value.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

async function show(request, response) {
  const message = request.method === 'POST' ? await invite(new URLSearchParams(await text(request)).get('email')) : ''
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(await page(message))
}

createServer((request, response) => {
  /* Before the body is read: the handler reads it itself. */
  if (request.url.startsWith('/certify/')) callbacks.listener(request, response)
  else if (request.url === '/health') response.end('ok')
  else void show(request, response)
}).listen(Number(PORT), '127.0.0.1')
