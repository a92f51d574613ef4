// The machine of the playground: a service, a ledger, and the programs that the page sends. The page ends it to start over.
import { createMockServer } from 'certify-sdk/mock'
import { format } from './format.js'

const download = globalThis.fetch
const mock = createMockServer()
globalThis.ledgerClock = {
  now: () => mock.clock.now().getTime(),
  startTimer(ms, ring) {
    const timer = setTimeout(() => ring(), ms)
    return () => clearTimeout(timer)
  },
}

/* What a program finds on a machine: its environment, its console, what Node.js has, and a service at that address. */
const builtIn = { 'node:diagnostics_channel': { tracingChannel: () => ({ hasSubscribers: false }) } }
globalThis.Buffer = { alloc: (size) => new Uint8Array(size) }
globalThis.fetch = mock.fetch
globalThis.process = {
  env: { CERTIFY_BASE_URL: mock.baseUrl, CERTIFY_API_KEY: mock.apiKey },
  platform: 'browser',
  emitWarning: (message) => console.warn(message),
  getBuiltinModule: (name) => builtIn[name],
}
for (const level of ['log', 'info', 'warn', 'error'])
  console[level] = (...values) => postMessage({ line: values.map((value) => format(value)).join(' '), level })

/* SQLite is larger than everything else together: it is loaded when a program imports the ledger. */
let ledger
async function openLedger() {
  const file = new URL('sql-wasm.wasm', import.meta.url)
  const [sqlite, response, module] = await Promise.all([import('./sqlite.js'), download(file), import('./ledger.js')])
  builtIn['node:sqlite'] = await sqlite.loadSqlite(await response.arrayBuffer(), showSoon)
  return module.openLedger()
}
/* A download that failed is tried again by the next run. */
function forget(error) {
  ledger = undefined
  throw error
}

const MODULES = { 'certify-sdk': 'sdk.js', 'certify-sdk/ledger': 'ledger.js' }
const IMPORT = /(^\s*import\b[^'"`;()]*|\bimport\s*\(\s*)(['"])([^'"\n]+)\2/gm

async function run(code) {
  const linked = code.replaceAll(IMPORT, (_all, before, quote, name) => {
    if (name === 'certify-sdk/ledger') ledger ??= openLedger().catch(forget)
    else if (MODULES[name] === undefined)
      throw new Error(`In this tab a program can import ${Object.keys(MODULES).join(' and ')}, but not ${name}.`)
    return before + quote + new URL(MODULES[name], import.meta.url) + quote
  })
  await ledger
  await import(URL.createObjectURL(new Blob([linked], { type: 'text/javascript' })))
}

let isDue = false
function showSoon() {
  if (!isDue) setTimeout(() => void show())
  isDue = true
}

/* What the page shows of the service and the ledger. */
async function show() {
  isDue = false
  const records = []
  for await (const record of (await ledger)?.list() ?? []) records.unshift(record)
  postMessage({
    state: {
      date: mock.clock.now().toISOString().slice(0, 10),
      fault: mock.faults.list().find(({ hits, times }) => hits < times)?.fault,
      mails: mock.outbox.map((mail) => ({ ...mail, isOpen: mock.open(mail.inviteId).invite.status !== 'EXPIRED' })),
      requests: mock.requestLog.list().map(({ operations, status, createdInviteIds }) => {
        return { operation: operations[0], status, created: createdInviteIds.length }
      }),
      records: records.map(({ input, ...record }) => ({ ...record, email: input.candidate.email })),
    },
  })
}

const ORDERS = {
  run,
  fault(rule) {
    mock.faults.clear()
    if (rule !== null) mock.faults.add(rule)
  },
  advance: (by) => mock.clock.advance(by),
  resolve: ({ reference, finding }) => ledger.then((open) => open.resolve(reference, finding)),
}

/** Answers with an exit code. */
async function obey({ id, order, value }) {
  let exit = 0
  try {
    await ORDERS[order](value)
  } catch (error) {
    exit = 1
    console.error('Uncaught', error)
  }
  await show()
  postMessage({ id, exit })
}
self.addEventListener('message', ({ data }) => void obey(data))
mock.subscribe(showSoon)
