/** What went wrong in SQLite, in SQLite's own word, as in `BUSY`; `undefined` for an error of another kind. */
export function sqliteWord(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  /* The lower byte is the kind; the rest tells its cases apart. */
  if (typeof errcode === 'number') return WORDS.get(errcode & 0xff) ?? 'ERROR'
  return typeof code === 'string' ? /^SQLITE_([A-Z]+)/.exec(code)?.[1] : undefined
}

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
