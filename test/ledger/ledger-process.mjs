// One process with a ledger. It executes the command on each line, and answers with a line.
import { createInterface } from 'node:readline'
import { ledgers } from './built.mjs'

/** @type {import('../../src/ledger/index.ts').Ledger} */
let ledger

/** @param {string} name */
const claim = async (name) => {
  const { kind } = await ledger.claim({
    scope: { baseUrl: 'https://certify.test', account: 'acme', world: '' },
    target: { email: `${name}@example.com`, quizIds: ['quiz'] },
    reference: crypto.randomUUID(),
    input: { quizId: 'quiz', candidate: { email: `${name}@example.com` } },
    leaseMs: 600_000,
  })
  return kind
}

/** @type {Record<string, (given: any) => Promise<unknown>>} */
const ACTS = {
  async open(/** @type {{ readonly path: string } & import('../../src/ledger/index.ts').LedgerOptions} */ given) {
    const { path, ...options } = given
    ledger = await ledgers.openLedger(path, options)
  },
  claim,
  /** Opens, claims and closes, again and again, and prints each name that it got. */
  async live(/** @type {{ path: string, name: string }} */ { path, name }) {
    for (let number = 0; ; number += 1) {
      ledger = await ledgers.openLedger(path)
      for (const each of ['a', 'b', 'c']) {
        if ((await claim(`${name}-${number}-${each}`)) === 'claimed') say({ claimed: `${name}-${number}-${each}` })
      }
      await ledger.close()
    }
  },
}

function say(/** @type {unknown} */ what) {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}

for await (const line of createInterface(process.stdin)) {
  const [act, given] = /** @type {[string, unknown]} */ (JSON.parse(line))
  try {
    say({ value: await ACTS[act]?.(given) })
  } catch (error) {
    const { code, message } = /** @type {import('../../src/index.ts').CertifyError} */ (error)
    say({ code, message })
  }
}
