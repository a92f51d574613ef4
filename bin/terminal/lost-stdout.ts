import { fstatSync, readFileSync, statSync } from 'node:fs'
import type { Stream } from '../io.ts'

const ACCESS_MODE = 3
const READ_AND_WRITE = 2

/**
 * Why nobody gets what is written to stdout; `undefined` if somebody may.
 *
 * Node.js opens a closed stdout as the null device, for reading and writing. A shell opens it for writing only, so `>/dev/null`
 * is a decision of the user. Only Linux shows the difference.
 */
export function lostStdout(): Stream['lost'] {
  try {
    if (fstatSync(1).rdev !== statSync('/dev/null').rdev || !fstatSync(1).isCharacterDevice()) return undefined
    const [, flags = '0'] = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/1', 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & ACCESS_MODE) === READ_AND_WRITE ? 'closed' : 'null device'
  } catch (error) {
    /* There is no /dev/null, as on Windows, or no /proc. */
    return (error as NodeJS.ErrnoException).path === '/proc/self/fdinfo/1' ? 'null device' : undefined
  }
}
