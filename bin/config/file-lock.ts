import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { codeOf, configError } from '../cli-error.ts'
import type { Io } from '../io.ts'

export type Clock = Pick<Io, 'now' | 'sleep'>

/* A lock is held for milliseconds: an older one was left by a crash. */
const STALE_MS = 10_000
const PATIENCE_MS = 5_000
const PAUSE_MS = 25

/** Runs `run` while no other process does the same on this path, whose folder exists. */
export async function withFileLock<T>(path: string, clock: Clock, run: () => T): Promise<T> {
  const lock = `${path}.lock`
  for (const since = clock.now(); !take(lock); await clock.sleep(PAUSE_MS)) {
    if (isStale(lock, clock)) discard(lock, clock)
    else if (clock.now() - since > PATIENCE_MS) {
      throw configError(
        `another certify is writing the configuration (${lock}).`,
        'Run the command again; where no other certify is running, delete that file.',
      )
    }
  }
  try {
    return run()
  } finally {
    rmSync(lock, { force: true })
  }
}

function take(lock: string): boolean {
  try {
    const file = openSync(lock, 'wx', 0o600)
    writeSync(file, String(process.pid))
    closeSync(file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function isStale(lock: string, clock: Clock): boolean {
  return clock.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) > STALE_MS
}

/* Moved before it is deleted: of two processes one moves it. A fresh lock that was moved by mistake is put back. */
function discard(lock: string, clock: Clock): void {
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
    if (isStale(aside, clock)) rmSync(aside, { force: true })
    else renameSync(aside, lock)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
