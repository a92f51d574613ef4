// A server in a process of its own: the handler of callbacks with an inbox in a file, or one that answers 200 and stores nothing.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callbackUrls, createCallbackHandler } from '../dist/callbacks/index.js'
import { openInbox } from '../dist/ledger/index.js'
import { BASE_URL, SECRET } from './callbacks-setting.mjs'

const folder = mkdtempSync(join(tmpdir(), 'certify-bench-'))
process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true })
  process.exit()
})
const server = createServer(process.argv[2] === 'bare' ? bare : await receiver())
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
function bare(request, response) {
  request.resume().on('end', () => response.writeHead(200, { 'content-length': 0 }).end())
}

async function receiver() {
  const inbox = await openInbox({ path: join(folder, 'invites.ledger') })
  const urls = callbackUrls({ baseUrl: BASE_URL, secrets: [SECRET] })
  return createCallbackHandler({ urls, inbox, onEvent() {} }).listener
}
