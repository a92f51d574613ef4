// @ts-check
// A receiver of events on a port: node receiver.mjs <port> <ledger> <file of effects>
// It prints a line once it listens.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { callbacks, ledgers } from '../ledger/built.mjs'
import { BASE_URL, SECRET } from './survival.mjs'

const [port, path = '', effects = ''] = process.argv.slice(2)
const ledger = await ledgers.openLedger(path)
const handler = callbacks.createCallbackHandler({
  callbacks: callbacks.callbackUrls({ baseUrl: BASE_URL, secrets: [SECRET] }),
  inbox: ledger.inbox,
  onEvent(event) {
    const what = event.type === 'certification.completed' ? event.result : event.type
    appendFileSync(effects, `${event.id} ${event.reference} ${what}\n`)
  },
  onFailure: (error) => console.error(error),
  leaseMs: 500,
})
createServer(handler.listener).listen(Number(port), '127.0.0.1', () => console.log('listening'))
process.on('SIGTERM', () => {
  void handler.drain().then(() => process.exit(0))
})
void handler.drain()
