import { statSync } from 'node:fs'
import timers from 'node:timers'
import { Worker } from 'node:worker_threads'
import { type Driver, rowOf, type Sqlite } from './sqlite-driver.ts'

/**
 * Whether a file is whole: if a journal was lost, its half-written commit could not be undone, and only this check finds out. SQLite reads
 * everything, 0.4 seconds of CPU time for 100,000 records. A thread reads a large file, so that the event loop goes on.
 *
 * @param sqlite the open file, whose lock the caller has
 * @param onSign called with a number that grows while a thread reads: at once, and then several times a second
 */
export async function isWhole(
  sqlite: Sqlite,
  { module }: Driver,
  file: string,
  onSign: (signs: number) => void = () => {},
): Promise<boolean> {
  const isLarge = statSync(file).size >= LARGE_BYTES
  const found = isLarge ? await resultOfThread({ module, file }, onSign) : undefined
  return (found ?? rowOf(sqlite, INTEGRITY)?.['integrity_check']) === 'ok'
}

/* Reading this much takes as long as a thread takes to start. */
const LARGE_BYTES = 8_000_000
const SIGN_MS = 200
const INTEGRITY = 'PRAGMA integrity_check(1)'

/* `undefined` if there are no threads, as under the permission model of Node.js. */
function resultOfThread(workerData: object, onSign: (signs: number) => void): Promise<unknown> {
  let signs = 1
  onSign(signs)
  const timer = timers.setInterval(() => onSign((signs += 1)), SIGN_MS)
  return new Promise((resolve) => {
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData })
    thread.on('message', resolve)
    for (const event of ['error', 'exit']) thread.on(event, () => resolve(undefined))
  })
    .catch(() => undefined)
    .finally(() => timers.clearInterval(timer))
}

/* A text, because bundlers would not find a file. */
const PROGRAM = `
  process.emitWarning = () => {}
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require(workerData.module)
  const database = new DatabaseSync(workerData.file)
  const [{ integrity_check }] = database.prepare('${INTEGRITY}').all()
  database.close()
  parentPort.postMessage(integrity_check)`
