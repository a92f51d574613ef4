// One process with a ledger. It executes the command on each line, and answers with a line.
import fs from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { ledgers, partsOf } from './built.mjs'

/** @type {import('../../src/ledger/index.ts').Ledger} */
let ledger

/** @param {string} name */
const claim = async (name) => {
  const { kind } = await partsOf(ledger).claim({
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
  /** Claims names that other processes claim, too, while it copies the file. Returns the names that it got. */
  async race(/** @type {{ path: string, means: string, names: string[] }} */ { path, means, names }) {
    ledger = await ledgers.openLedger(path)
    const over = new AbortController()
    const copying = (async () => {
      while (!over.signal.aborted) {
        await MEANS[means]?.(path).catch(() => {})
        await wait(1)
      }
    })()
    const [left, got] = [[...names], /** @type {string[]} */ ([])]
    const worker = async () => {
      for (let name = left.shift(); name !== undefined; name = left.shift())
        if ((await claim(name)) === 'claimed') got.push(name)
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    over.abort()
    await copying
    await ledger.close()
    return got
  },
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

/* Ways to copy a file that is in use: each closes a descriptor of it, which drops the POSIX locks of this process. */
/** @type {Record<string, (path: string) => Promise<unknown>>} */
const MEANS = {
  copyFile: (path) => fs.promises.copyFile(path, `${path}.copy-${process.pid}`),
  readFile: (path) => fs.promises.readFile(path),
  stream: (path) => finished(fs.createReadStream(path).resume()),
  'fs.cp': (path) => fs.promises.cp(dirname(path), `${dirname(path)}-${process.pid}`, { recursive: true, force: true }),
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
