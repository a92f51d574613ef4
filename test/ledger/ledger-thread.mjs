// A thread with its own copy of the package and of SQLite: see ledger-file.test.ts. It claims the same names as another one.
import { parentPort, workerData } from 'node:worker_threads'

/* By a variable, because types are checked before the package is built. */
const installed = 'certify-sdk/ledger'
/** @type {typeof import('../../src/ledger/index.ts')} */
const { openLedger } = await import(installed)
const ledger = await openLedger(workerData.path)
/** @type {import('../../src/ledger/rules/ledger-types.ts').LedgerInternals} */
const parts = Object(ledger)[Symbol.for('certify-sdk/internals')]
const left = Array.from({ length: 300 }, (_each, index) => `n${index}`)
/** @type {string[]} */
const got = []
const worker = async () => {
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const email = `${name}@example.com`
    const { kind } = await parts.claim({
      scope: { baseUrl: 'https://certify.test', account: 'acme', world: '' },
      target: { email, quizIds: ['quiz'] },
      reference: crypto.randomUUID(),
      input: { quizId: 'quiz', candidate: { email } },
      leaseMs: 600_000,
    })
    if (kind === 'claimed') got.push(name)
  }
}
await Promise.all(Array.from({ length: 8 }, worker))
await ledger.close()
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(got)
