import { CertifyClient } from '../../src/index.ts'
import { openPostgresLedger } from '../../src/ledger/postgres/index.ts'
import { runWorker } from '../../src/worker/index.ts'

/* A worker in a process of its own. It prints an object a line for each event. */
const { DATABASE_URL = '', BASE_URL = '', API_KEY = '', WORLD = '', CONCURRENCY = '8', DRAIN } = process.env
const stopping = new AbortController()
process.on('SIGTERM', () => stopping.abort())
const ledger = await openPostgresLedger({ url: DATABASE_URL })
try {
  await runWorker(ledger, new CertifyClient({ baseUrl: BASE_URL, apiKey: API_KEY, timeoutMs: 1_000 }), {
    account: 'acme',
    world: WORLD,
    concurrency: Number(CONCURRENCY),
    drain: DRAIN === 'yes',
    signal: stopping.signal,
    onEvent: (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
  })
} finally {
  await ledger.close()
}
