import { statfsSync } from 'node:fs'
import { ledgerUnusable } from '../rules/errors.ts'

/** Reads the free room of a file system. A test has its own. */
export type ReadRoom = (path: string) => { readonly bavail: number; readonly bsize: number; readonly blocks: number }

/* What one send takes at most: in the file, and in the log before it is moved into the file. */
const BYTES_PER_SEND = 2048
const LOG_BYTES_PER_SEND = 24_576
const MOST_LOG_BYTES = 5_000_000

/** The free bytes of the disk of a file or folder; `undefined` if the system does not say. */
export function freeBytesAt(path: string, readRoom: ReadRoom = statfsSync): number | undefined {
  try {
    const { bavail, bsize, blocks } = readRoom(path)
    /* Some network shares report nothing. */
    return blocks === 0 ? undefined : bavail * bsize
  } catch {
    return undefined
  }
}

/** @throws CertifyError LEDGER_UNUSABLE if the disk of the ledger has no room for so many sends */
export function checkRoom(file: string, path: string, sends: number, readRoom?: ReadRoom): void {
  const free = freeBytesAt(file, readRoom)
  const needed = sends * BYTES_PER_SEND + Math.min(sends * LOG_BYTES_PER_SEND, MOST_LOG_BYTES)
  if (free === undefined || free >= needed) return
  throw ledgerUnusable(
    `${path}: its disk has ${inMegabytes(free)} left, and the record of ${sends} sends may need ${inMegabytes(needed)}. Nothing was sent`,
    'Free some space on it first: what cannot be recorded must not be sent.',
  )
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
