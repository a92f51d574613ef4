import { statSync } from 'node:fs'
import timers from 'node:timers'
import { Worker } from 'node:worker_threads'
import { type Driver, rowOf, type Sqlite } from './sqlite-driver.ts'

/**
 * Whether a database is whole. This reads everything, 0.4 seconds of CPU time for 100,000 records, and blocks the event loop.
 * If a journal is missing, nobody could undo its commit, and only this finds out.
 */
export function isWhole(sqlite: Sqlite): boolean {
  return rowOf(sqlite, INTEGRITY)?.['integrity_check'] === 'ok'
}

const INTEGRITY = 'PRAGMA integrity_check(1)'

/**
 * The same for a large file, in a thread, so that the event loop goes on. The caller holds the lock of the file.
 *
 * @param onSign called with a number that grows, several times a second, and with an empty text at the end
 * @returns `undefined` if the file is small, or if there is no thread, as under the permission model of Node.js: use {@link isWhole}
 */
export async function isWholeInThread(
  { module }: Driver,
  file: string,
  onSign: (words: string) => void = () => {},
): Promise<boolean | undefined> {
  if (statSync(file).size < LARGE_BYTES) return undefined
  let signs = 0
  const sign = () => {
    signs += 1
    onSign(String(signs))
  }
  sign()
  const timer = timers.setInterval(sign, SIGN_MS)
  try {
    return await new Promise((resolve) => {
      const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData: { module, file } })
      thread.on('message', (result) => resolve(result === 'ok'))
      thread.on('error', () => resolve(undefined))
      thread.on('exit', () => resolve(undefined))
    })
  } catch {
    return undefined
  } finally {
    timers.clearInterval(timer)
    onSign('')
  }
}

/* Reading this much takes as long as a thread takes to start. */
const LARGE_BYTES = 8_000_000
const SIGN_MS = 200

/* A text, because bundlers would not find a file. */
const PROGRAM = `
  process.emitWarning = () => {}
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require(workerData.module)
  const database = new DatabaseSync(workerData.file)
  const [{ integrity_check }] = database.prepare('${INTEGRITY}').all()
  database.close()
  parentPort.postMessage(integrity_check)`
