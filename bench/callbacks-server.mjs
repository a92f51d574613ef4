// A server in a process of its own, by its name: see SERVERS.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callbackUrls, createCallbackHandler } from '../dist/callbacks/index.js'
import { openLedger } from '../dist/ledger/index.js'
import { BASE_URL, SECRET } from './callbacks-setting.mjs'

/* The one that the project installs for its tests. */
const Sqlite = createRequire(`${import.meta.dirname}/../package.json`)('better-sqlite3')
const folder = mkdtempSync(join(tmpdir(), 'certify-bench-'))
process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true })
  process.exit()
})

/** @typedef {import('node:http').RequestListener} Listener */
/** @type {Readonly<Record<string, () => Promise<Listener>>>} */
const SERVERS = {
  handler,
  /* What nobody who stores events durably can do without, and nothing else. */
  'by-hand': async () => byHand('FULL'),
  'by-hand-unsynchronised': async () => byHand('OFF'),
  bare: async () => (request, response) => void request.resume().on('end', () => acknowledge(response)),
}
const server = createServer(await SERVERS[process.argv[2] ?? '']?.())
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))

async function handler() {
  const { inbox } = await openLedger(join(folder, 'invites.ledger'))
  const urls = callbackUrls({ baseUrl: BASE_URL, secrets: [SECRET] })
  return createCallbackHandler({ callbacks: urls, inbox, onEvent() {} }).listener
}

/**
 * Checks the token, parses the body, and stores the event. All events of a turn share a transaction.
 *
 * @param {'FULL' | 'OFF'} synchronous whether a commit waits for the disk
 * @returns {Listener}
 */
function byHand(synchronous) {
  const database = new Sqlite(join(folder, 'events.sqlite'))
  database.pragma('journal_mode = WAL')
  database.pragma(`synchronous = ${synchronous}`)
  database.exec('CREATE TABLE events (key TEXT PRIMARY KEY, reference TEXT, body BLOB) WITHOUT ROWID')
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  /** @type {[key: string, reference: string, body: Buffer, response: import('node:http').ServerResponse][]} */
  let queued = []
  const store = database.transaction(() => {
    for (const [key, reference, body] of queued) insert.run(key, reference, body)
  })
  const commit = () => {
    store()
    for (const [, , , response] of queued) acknowledge(response)
    queued = []
  }
  return (request, response) => {
    /** @type {Buffer[]} */
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const [encoded = '', mac = ''] = request.url?.split('/').at(-1)?.split('.') ?? []
      const reference = Buffer.from(encoded, 'base64url').toString()
      const made = createHmac('sha256', SECRET).update(`certify-callback:${reference}`).digest()
      const given = Buffer.from(mac, 'base64url')
      if (given.length !== made.length || !timingSafeEqual(given, made)) {
        response.writeHead(404).end()
        return
      }
      const body = Buffer.concat(chunks)
      if (queued.length === 0) setImmediate(commit)
      queued.push([JSON.parse(body.toString()).id, reference, body, response])
    })
  }
}

/** @param {import('node:http').ServerResponse} response */
function acknowledge(response) {
  response.writeHead(200, { 'content-length': 0 }).end()
}
