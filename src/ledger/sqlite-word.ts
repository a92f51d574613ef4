/**
 * What went wrong in SQLite, in SQLite's own word, as in `BUSY`; `IOERR_LOCK` for all that goes wrong with a lock. `undefined`
 * for an error of another kind.
 */
export function sqliteWord(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  /* The lower byte is the kind; the rest tells its cases apart. */
  if (typeof errcode === 'number') {
    return LOCK_CASES.has(errcode >> 8) && (errcode & 0xff) === 10
      ? 'IOERR_LOCK'
      : (WORDS.get(errcode & 0xff) ?? 'ERROR')
  }
  if (typeof code !== 'string') return undefined
  return /^SQLITE_IOERR_\w*LOCK$/.test(code) ? 'IOERR_LOCK' : /^SQLITE_([A-Z]+)/.exec(code)?.[1]
}

/* Of IOERR: UNLOCK, RDLOCK, CHECKRESERVEDLOCK, LOCK and SHMLOCK. */
const LOCK_CASES: ReadonlySet<number> = new Set([8, 9, 14, 15, 20])

const WORDS: ReadonlyMap<number, string> = new Map([
  [3, 'PERM'],
  [5, 'BUSY'],
  [6, 'LOCKED'],
  [8, 'READONLY'],
  [10, 'IOERR'],
  [11, 'CORRUPT'],
  [13, 'FULL'],
  [14, 'CANTOPEN'],
  [19, 'CONSTRAINT'],
  [26, 'NOTADB'],
])
