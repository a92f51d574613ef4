import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { planCampaign, runCampaign } from '../dist/campaign/index.js'
import { CertifyClient } from '../dist/index.js'
import { openLedger } from '../dist/ledger/index.js'

export const CONCURRENCY = 32

/** Starts the service. It ends with this process, or before by `stop`. */
export async function startService() {
  const child = fork(`${import.meta.dirname}/campaign-server.mjs`)
  const [{ port }] = /** @type {[{ port: number }]} */ (await once(child, 'message'))
  return {
    urlAfter: (/** @type {number} */ latencyMs) => `http://127.0.0.1:${port}/after-${latencyMs}`,
    stop: () => child.disconnect(),
  }
}

/** A folder on the disk of this project, not in one that may lie in memory; removed at the end of the process. */
export function ownFolder() {
  const folder = mkdtempSync(join(import.meta.dirname, 'node_modules/.campaign-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** @param {number} count */
export function* rowsOf(count) {
  for (let row = 1; row <= count; row += 1) {
    const candidate = { name: `Candidate ${row}`, email: `candidate-${row}@example.com` }
    yield { row, input: { quizId: 'quiz_react_beginner_state', candidate } }
  }
}

/**
 * Plans and runs a campaign, and says how long each took in milliseconds.
 *
 * @param {{ url: string, path: string, count: number, most?: number }} options `most`: after so many events it is ended
 */
export async function campaign({ url, path, count, most = Number.POSITIVE_INFINITY }) {
  const client = new CertifyClient({ baseUrl: url, apiKey: 'key' })
  const ledger = await openLedger({ path })
  const began = performance.now()
  const plan = await planCampaign(rowsOf(count), { client, ledger, account: 'bench', campaign: 'bench' })
  const planned = performance.now()
  const stop = new AbortController()
  let rows = 0
  /** @type {Record<string, number>} */
  let counts = {}
  for await (const event of runCampaign(plan, { concurrency: CONCURRENCY, signal: stop.signal })) {
    if (event.type === 'row') rows += 1
    if (event.type === 'finished') counts = event.summary.counts
    if (rows >= most) stop.abort()
  }
  const ended = performance.now()
  plan.close()
  await ledger.close()
  return { planMs: planned - began, runMs: ended - planned, rows, counts }
}
