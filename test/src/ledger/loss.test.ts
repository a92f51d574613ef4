import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type DriverName, type Ledger, openLedger } from '../../../src/ledger/index.ts'
import { loadDriver } from '../../../src/ledger/sqlite/driver.ts'
import { isIncomplete } from '../../../src/ledger/sqlite/missing-commits.ts'
import { failureOf } from '../failing.ts'
import { DRIVERS, freshLedger, ownFolder, standingClock } from './setting.ts'

const claimOf = (reference: string) => ({
  scope: { baseUrl: 'https://certify.test', account: 'acme', world: '' },
  target: { email: `${reference}@example.com`, quizIds: ['quiz'] },
  reference,
  input: { quizId: 'quiz', candidate: { email: `${reference}@example.com` } },
  leaseMs: 1000,
})

/* Ten transactions, whatever the number. */
async function claimMany(ledger: Ledger, count: number, name: string): Promise<void> {
  for (let first = 0; first < count; first += count / 10) {
    const numbers = Array.from({ length: count / 10 }, (_each, index) => first + index)
    await Promise.all(numbers.map((number) => ledger.claim(claimOf(`${name}${number}`))))
  }
}

/* The files that a process leaves which is killed: ten sends before it was opened the last time, others since then. */
async function killed(driver: DriverName, sends = 10, sendsBefore = 10) {
  const folder = ownFolder()
  const path = join(folder, 'invites.ledger')
  const before = await openLedger({ path, driver })
  await claimMany(before, sendsBefore, 'before')
  await before.close()
  cpSync(path, join(folder, 'closed.ledger'))
  const ledger = await freshLedger(standingClock(), { path, driver })
  await claimMany(ledger, sends, 'after')
  const place = join(folder, 'killed')
  mkdirSync(place)
  const names = readdirSync(folder).filter((name) => name.startsWith('invites.ledger'))
  for (const name of names) cpSync(join(folder, name), join(place, name))
  return { ledger, path: join(place, 'invites.ledger'), closed: join(folder, 'closed.ledger') }
}

const header = (path: string) => readFileSync(path).subarray(18, 20).toString('hex')

async function sendsIn(path: string, options: object = {}): Promise<number> {
  const ledger = await openLedger({ path, ...options })
  const { entries, problems } = await ledger.check()
  await ledger.close()
  expect(problems).toEqual([])
  return Object.values(entries).reduce((sum, count) => sum + count, 0)
}

test.each([
  [false, 'what was closed, with its number', { wasOpen: false, hadLog: false, commits: 5, reported: 5 }],
  [false, 'what was closed, as a file alone', { wasOpen: false, hadLog: false, commits: 5, reported: undefined }],
  [true, 'an older copy of it', { wasOpen: false, hadLog: false, commits: 4, reported: 5 }],
  [false, 'what was killed', { wasOpen: true, hadLog: true, commits: 5, reported: 5 }],
  [false, 'what was killed before it reported', { wasOpen: true, hadLog: true, commits: 6, reported: 5 }],
  [
    false,
    'what was killed, with its log but no number',
    { wasOpen: true, hadLog: true, commits: 5, reported: undefined },
  ],
  [true, 'what was killed, its log cut', { wasOpen: true, hadLog: true, commits: 4, reported: 5 }],
  [true, 'what was killed, its log gone', { wasOpen: true, hadLog: false, commits: 4, reported: 5 }],
  [true, 'a copy of a file in use, alone', { wasOpen: true, hadLog: false, commits: 5, reported: undefined }],
  [false, 'what another program closed', { wasOpen: true, hadLog: false, commits: 5, reported: 5 }],
])('that commits are missing is %j of %s', (missing, _what, findings) => {
  expect(isIncomplete(findings)).toBe(missing)
})

describe.each(DRIVERS)('over %s', (driver) => {
  test('a ledger whose process was killed opens whole, whatever of its other files was not copied but its log', async () => {
    for (const without of [[], ['-shm'], ['-last'], ['-shm', '-last']]) {
      const { path } = await killed(driver)
      for (const name of without) rmSync(path + name)
      expect([without, await sendsIn(path, { driver })]).toEqual([without, 20])
    }
  })

  test.each<[string, (path: string) => void]>([
    ['removed', (path) => rmSync(`${path}-wal`)],
    ['removed, with its index', (path) => removeBeside(path, ['-wal', '-shm'])],
    ['removed, with all other files', (path) => removeBeside(path, ['-wal', '-shm', '-last'])],
    ['emptied', (path) => truncateSync(`${path}-wal`, 0)],
    ['cut in the middle', (path) => truncateSync(`${path}-wal`, 60_000)],
    ['cut by one byte', (path) => truncateSync(`${path}-wal`, readFileSync(`${path}-wal`).length - 1)],
    [
      'cut, without its index',
      (path) => {
        truncateSync(`${path}-wal`, 60_000)
        removeBeside(path, ['-shm'])
      },
    ],
    ['damaged in the middle', (path) => damage(`${path}-wal`, 30_000)],
  ])(
    'a log that was %s is noticed: nobody is invited by what is left, and the log can be put back',
    async (_what, lose) => {
      const { path } = await killed(driver)
      const whole = ['', '-wal', '-last'].map((name) => [path + name, readFileSync(path + name)] as const)
      lose(path)
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const error = await failureOf(openLedger({ path, driver }))
        expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
        expect(error.message).toContain('the record of the last sends is missing')
        expect(error.message).toContain(`${path}-wal`)
        expect(error.hint).toContain('certify ledger check --accept-loss')
        expect(error.message + error.hint).not.toContain('example.com')
      }
      for (const [file, content] of whole.slice(1)) writeFileSync(file, content)
      expect(await sendsIn(path, { driver })).toBe(20)
    },
  )

  test.each([10, 40, 90])(
    'a log that is gone while it was being carried over is noticed, however far that had got',
    async (sends) => {
      const whole = String(10 + sends)
      const { path } = await killed(driver, 10, sends)
      const files = ['', '-wal', '-last'].map((name) => [path + name, readFileSync(path + name)] as const)
      const ends: string[] = []
      for (let count = 0, pages = 1; count <= pages; count += 1) {
        for (const [file, content] of files) writeFileSync(file, content)
        rmSync(`${path}-shm`, { force: true })
        pages = carryOver(path, count)
        rmSync(`${path}-wal`)
        ends.push(await sendsIn(path, { driver }).then(String, ({ code }: { code: string }) => code))
      }
      expect(ends.at(-1)).toBe(whole)
      expect(ends.filter((end) => end !== whole && end !== 'LEDGER_UNUSABLE')).toEqual([])
      expect(ends.length).toBeGreaterThan(5)
    },
  )

  test('an older copy in the place of a ledger is noticed, and how much it lacks', async () => {
    const { path, closed } = await killed(driver)
    expect(await sendsIn(path, { driver })).toBe(20)
    cpSync(closed, path)
    const { message } = await failureOf(openLedger({ path, driver }))
    expect(message).toMatch(/it lacks 1\d of 2\d commits\)\. It has 10 sends, the last of 20\d\d-/)
  })

  test('a loss that was accepted is none any more', async () => {
    const { path } = await killed(driver)
    rmSync(`${path}-wal`)
    expect(await sendsIn(path, { driver, acceptLoss: true })).toBe(10)
    expect(await sendsIn(path, { driver })).toBe(10)
    const ledger = await freshLedger(standingClock(), { path, driver })
    expect(await ledger.claim(claimOf('after0'))).toEqual({ kind: 'claimed' })
  })

  test('to accept a loss where there is none changes nothing', async () => {
    const { path } = await killed(driver)
    expect(await sendsIn(path, { driver, acceptLoss: true })).toBe(20)
  })

  test('a ledger that was closed is one file, which says so and may be moved alone', async () => {
    const { ledger, closed } = await killed(driver)
    expect(header(ledger.path)).toBe('0202')
    await ledger.close()
    expect([header(ledger.path), header(closed)]).toEqual(['0101', '0101'])
    expect([existsSync(`${ledger.path}-wal`), existsSync(`${ledger.path}-shm`)]).toEqual([false, false])
    const moved = join(ownFolder(), 'moved.ledger')
    renameSync(ledger.path, moved)
    expect(await sendsIn(moved, { driver })).toBe(20)
  })

  test('of two that use a ledger, one closes it and the other goes on; it is closed when both have', async () => {
    const { ledger } = await killed(driver)
    const other = await freshLedger(standingClock(), { path: ledger.path, driver })
    await ledger.close()
    expect(header(ledger.path)).toBe('0202')
    expect(await other.claim(claimOf('later'))).toEqual({ kind: 'claimed' })
    await other.close()
    expect(header(ledger.path)).toBe('0101')
    expect(await sendsIn(ledger.path, { driver })).toBe(21)
  })

  test('a program that ends without closing its ledger, or another program that closes it, loses nothing', async () => {
    const { path } = await killed(driver)
    const other = loadDriver(driver).open(path)
    expect(other.prepare('SELECT count(*) AS number FROM sends').get()).toMatchObject({ number: 20 })
    other.close()
    expect([header(path), existsSync(`${path}-wal`)]).toEqual(['0202', false])
    expect(await sendsIn(path, { driver })).toBe(20)
    expect(header(path)).toBe('0101')
  })

  test('a copy by VACUUM INTO of a ledger in use is a ledger that was closed', async () => {
    const { ledger } = await killed(driver)
    const copy = join(ownFolder(), 'copy.ledger')
    const other = loadDriver(driver).open(ledger.path)
    other.exec(`VACUUM INTO '${copy}'`)
    other.close()
    expect(header(copy)).toBe('0101')
    expect(await sendsIn(copy, { driver })).toBe(20)
  })

  test.each([
    ['gone', (path: string) => rmSync(path)],
    ['emptied', (path: string) => truncateSync(path)],
  ])('a ledger whose file is %s is no new one, until what is left of it is removed too', async (_how, lose) => {
    const { ledger } = await killed(driver)
    await ledger.close()
    lose(ledger.path)
    const refused = { code: 'LEDGER_UNUSABLE', message: expect.stringContaining(`as ${ledger.path}-last shows`) }
    await expect(sendsIn(ledger.path, { driver })).rejects.toMatchObject(refused)
    await expect(sendsIn(ledger.path, { driver })).rejects.toMatchObject(refused)
    rmSync(`${ledger.path}-last`)
    expect(await sendsIn(ledger.path, { driver })).toBe(0)
    expect(await sendsIn(ledger.path, { driver })).toBe(0)
  })

  test('a ledger that was emptied while its log was there is refused, and the log stays: with it, all can be restored', async () => {
    const { path } = await killed(driver)
    const content = readFileSync(path)
    for (const left of [['-wal'], ['-wal', '-last']]) {
      const files = ['-wal', '-last'].map((name) => [path + name, readFileSync(path + name)] as const)
      truncateSync(path)
      for (const [file] of files) if (!left.some((name) => file.endsWith(name))) rmSync(file)
      const refused = { code: 'LEDGER_UNUSABLE', message: expect.stringContaining('a ledger was here, as') }
      await expect(sendsIn(path, { driver })).rejects.toMatchObject(refused)
      expect(readFileSync(`${path}-wal`)).toEqual(files[0]?.[1])
      for (const [file, bytes] of [[path, content] as const, ...files]) writeFileSync(file, bytes)
    }
    expect(await sendsIn(path, { driver })).toBe(20)
  })

  test('the error for a ledger that is gone names what is left of it, also behind a symbolic link', async () => {
    const folder = ownFolder()
    const [link, target] = [join(folder, 'link.ledger'), join(folder, 'target.ledger')]
    symlinkSync(target, link)
    expect(await sendsIn(link, { driver })).toBe(0)
    rmSync(target)
    const refused = { message: expect.stringContaining(`as ${target}-last shows`) }
    await expect(sendsIn(link, { driver })).rejects.toMatchObject(refused)
  })

  test('a ledger that is gone is replaced by a new one if its loss is accepted', async () => {
    const { ledger } = await killed(driver)
    await ledger.close()
    rmSync(ledger.path)
    expect(await sendsIn(ledger.path, { driver, acceptLoss: true })).toBe(0)
    expect(await sendsIn(ledger.path, { driver })).toBe(0)
  })

  test('a copy of the schema before is refused in the place of a newer ledger', async () => {
    const { path } = await killed(driver)
    await sendsIn(path, { driver })
    const older = loadDriver(driver).open(path)
    older.exec('DROP TABLE learned; DROP TABLE events; DROP TABLE ledger; PRAGMA user_version = 2')
    older.close()
    const refused = { code: 'LEDGER_UNUSABLE', message: expect.stringContaining('replaced by an old one') }
    await expect(sendsIn(path, { driver })).rejects.toMatchObject(refused)
  })

  test.each(['closed', 'killed'])(
    'a ledger of the schema before, %s in WAL mode as it was then, is opened',
    async (how) => {
      const { path } = await killed(driver)
      rmSync(`${path}-last`)
      const older = loadDriver(driver).open(path)
      older.exec(
        'DROP TABLE learned; DROP TABLE events; DROP TABLE ledger; ALTER TABLE sends ADD COLUMN held INTEGER NOT NULL DEFAULT 0; PRAGMA user_version = 2',
      )
      const place = join(ownFolder(), 'older.ledger')
      if (how === 'closed') older.close()
      for (const name of ['', '-wal', '-shm']) if (existsSync(path + name)) cpSync(path + name, place + name)
      if (how === 'killed') older.close()
      expect([header(place), existsSync(`${place}-wal`)]).toEqual(['0202', how === 'killed'])
      const ledger = await freshLedger(standingClock(), { path: place, driver })
      const alone = join(ownFolder(), 'alone.ledger')
      for (const name of ['', '-last']) cpSync(place + name, alone + name)
      await ledger.close()
      /* Whole without its log: no loss of that could be noticed before the first number is there. */
      expect(await sendsIn(alone, { driver })).toBe(20)
      expect(await sendsIn(place, { driver })).toBe(20)
      expect([header(place), existsSync(`${place}-last`)]).toEqual(['0101', true])
    },
  )
})

function removeBeside(path: string, names: readonly string[]): void {
  for (const name of names) rmSync(path + name)
}

function damage(file: string, at: number): void {
  const content = readFileSync(file)
  content.fill(0xff, at, at + 16)
  writeFileSync(file, content)
}

/* What SQLite does when the log has grown enough: the newest of each page goes to the database, in their order. Here not all. */
function carryOver(path: string, count: number): number {
  const log = readFileSync(`${path}-wal`)
  const database = readFileSync(path)
  const pageSize = log.readUInt32BE(8)
  const newest = new Map<number, Buffer>()
  for (let at = 32; at + 24 + pageSize <= log.length; at += 24 + pageSize) {
    newest.set(log.readUInt32BE(at), log.subarray(at + 24, at + 24 + pageSize))
  }
  const pages = [...newest.keys()].toSorted((one, other) => one - other)
  const chosen = pages.slice(0, count)
  const size = Math.max(database.length, ...chosen.map((page) => page * pageSize))
  const result = Buffer.concat([database, Buffer.alloc(size - database.length)])
  for (const page of chosen) newest.get(page)?.copy(result, (page - 1) * pageSize)
  writeFileSync(path, result)
  return pages.length
}
