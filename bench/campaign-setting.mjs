import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, createWriteStream, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

export const CONCURRENCY = 32

/** Starts the service. It ends with this process, or earlier with `stop`. */
export async function startService() {
  const child = fork(`${import.meta.dirname}/campaign-server.mjs`)
  const [{ port }] = /** @type {[{ port: number }]} */ (await once(child, 'message'))
  return {
    urlAfter: (/** @type {number} */ latencyMs) => `http://127.0.0.1:${port}/after-${latencyMs}`,
    stop: () => child.disconnect(),
  }
}

/** A folder on this project's disk, because a temporary one may be in memory; removed at the end of the process. */
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

/** Writes those rows as a table, and returns its path. @param {string} folder @param {number} count */
export async function tableOf(folder, count) {
  const path = join(folder, `${count}.csv`)
  const file = createWriteStream(path)
  file.write('email,name,quiz_id\n')
  for (const { input } of rowsOf(count)) {
    const line = `${input.candidate.email},${input.candidate.name},${input.quizId}\n`
    if (!file.write(line)) await once(file, 'drain')
  }
  await finished(file.end())
  return path
}

let runs = 0

/**
 * Runs the built `certify bulk` in its own process, with its own ledger and the event of every row in a file. Returns
 * how long sending and the whole run took, the CPU time of the process, in milliseconds, and the counts of its rows.
 *
 * @param {{ folder: string, url: string, table: string }} options
 */
export async function bulk({ folder, url, table }) {
  runs += 1
  const [rows, ledger] = [join(folder, `${runs}.ndjson`), join(folder, `${runs}.ledger`)]
  const output = openSync(rows, 'w')
  const flags = ['--yes', '--json', '--ledger', ledger, '--concurrency', String(CONCURRENCY)]
  const began = performance.now()
  const child = spawn(process.execPath, ['--import', CPU_TIME, CERTIFY, 'bulk', table, ...flags], {
    env: { ...process.env, CERTIFY_BASE_URL: url, CERTIFY_API_KEY: 'key', CERTIFY_CONFIG_DIR: folder },
    stdio: ['ignore', output, 'pipe', 'pipe'],
  })
  const cpuTime = /** @type {import('node:stream').Readable} */ (child.stdio[3])
  const [said, cpuMs, [code]] = await Promise.all([text(child.stderr), text(cpuTime), once(child, 'exit')])
  closeSync(output)
  if (code !== 0) throw new Error(`certify bulk ended with ${code}: ${said}`)
  const wholeMs = performance.now() - began
  const last = readFileSync(rows, 'utf8').trimEnd().split('\n').at(-1) ?? ''
  /** @type {{ counts: Record<string, number>, durationMs: number }} */
  const { counts, durationMs } = JSON.parse(last)
  rmSync(rows)
  return { sendMs: durationMs, wholeMs, cpuMs: Number(cpuMs), counts }
}

/** A module that writes the CPU time of its process, in milliseconds, to descriptor 3 at the end. */
const CPU_TIME = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    writeSync(3, String((user + system) / 1000))
  })`)}`

const CERTIFY = fileURLToPath(new URL('../dist/bin/certify.cjs', import.meta.url))
