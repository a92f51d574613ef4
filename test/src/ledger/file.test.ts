import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openLedger } from '../../../src/ledger/index.ts'
import { loadDriver } from '../../../src/ledger/sqlite/driver.ts'
import { openFile } from '../../../src/ledger/sqlite/file.ts'
import { migrate } from '../../../src/ledger/sqlite/schema.ts'
import { failureOf } from '../failing.ts'
import { DRIVERS, freshLedger, ownFolder, standingClock } from './setting.ts'

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
const claim = {
  scope: { baseUrl: 'https://certify.test', account: 'acme', world: '' },
  target: { email: 'ada@example.com', quizIds: ['quiz'] },
  reference: 'a',
  input: { quizId: 'quiz', candidate: { email: 'ada@example.com' } },
  leaseMs: 1000,
}

/* Root may write everything. */
async function asNobody<T>(folder: string, work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work()
  for (const name of ['.', ...readdirSync(folder)]) chownSync(join(folder, name), 65_534, 65_534)
  process.seteuid?.(65_534)
  return work().finally(() => process.seteuid?.(0))
}

describe.each(DRIVERS)('over %s', (driver) => {
  test('the file and the folder that is made for it are for their owner alone, whatever the umask', async () => {
    const folder = join(ownFolder(), 'made', 'here')
    const path = join(folder, 'invites.ledger')
    const before = process.umask(0)
    try {
      const ledger = await freshLedger(standingClock(), { path, driver })
      await ledger.claim(claim)
      for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-last`])
        expect({ file, mode: mode(file) }).toEqual({ file, mode: '600' })
      expect(mode(folder)).toBe('700')
    } finally {
      process.umask(before)
    }
  })

  test('a ledger that others could read is closed to them, a folder that was there stays as it was', async () => {
    const folder = ownFolder()
    const path = join(folder, 'invites.ledger')
    await (await openLedger({ path, driver })).close()
    chmodSync(path, 0o644)
    chmodSync(folder, 0o755)
    await freshLedger(standingClock(), { path, driver })
    expect([mode(path), mode(folder)]).toEqual(['600', '755'])
  })

  test('a file that this process may only read is told as read-only', async () => {
    const folder = ownFolder()
    const path = join(folder, 'invites.ledger')
    await (await openLedger({ path, driver })).close()
    chmodSync(path, 0o400)
    const error = await asNobody(folder, () => failureOf(openLedger({ path, driver })))
    expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', hint: expect.stringContaining('mounted read-only') })
    expect(error.message).toContain(`${path}: it is read-only`)
  })

  test('so are the files beside it that a killed process left', async () => {
    const path = join(ownFolder(), 'invites.ledger')
    await (await freshLedger(standingClock(), { path, driver })).claim(claim)
    const copy = join(ownFolder(), 'invites.ledger')
    const files = ['', '-wal', '-shm'].map((name) => copy + name)
    for (const name of ['', '-wal', '-shm', '-last']) copyFileSync(path + name, copy + name)
    for (const file of files) chmodSync(file, 0o644)
    await freshLedger(standingClock(), { path: copy, driver })
    expect(files.map(mode)).toEqual(['600', '600', '600'])
  })

  test.each([
    ['text', Buffer.from('email,name\nada@example.com,Ada\n'.repeat(50))],
    ['zeros', Buffer.alloc(5000)],
    ['the beginning of a database', Buffer.from('SQLite format 3\0 and then nothing'.padEnd(200, 'x'))],
  ])('a file of something else is refused and stays as it is: %s', async (_what, content) => {
    const path = join(ownFolder(), 'precious')
    writeFileSync(path, content)
    const error = await failureOf(openLedger({ path, driver }))
    expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
    expect(error.message).toContain(path)
    expect(readFileSync(path).equals(content)).toBe(true)
  })

  test('a database of something else is refused and stays as it is', async () => {
    const path = join(ownFolder(), 'other.db')
    const database = loadDriver(driver).open(path)
    database.exec('CREATE TABLE precious (value TEXT)')
    database.close()
    const before = readFileSync(path)
    expect((await failureOf(openLedger({ path, driver }))).message).toContain('a database of another program')
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('a ledger of a later version is refused and stays as it is', async () => {
    const path = join(ownFolder(), 'later.ledger')
    await (await openLedger({ path, driver })).close()
    const database = loadDriver(driver).open(path)
    database.exec('PRAGMA user_version = 99')
    database.close()
    const before = readFileSync(path)
    expect((await failureOf(openLedger({ path, driver }))).message).toContain('later version')
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('a damaged ledger is refused, or its check says so: it is never made anew', async () => {
    const path = join(ownFolder(), 'damaged.ledger')
    const ledger = await openLedger({ path, driver })
    for (let index = 0; index < 200; index += 1)
      void ledger.claim({ ...claim, reference: `r${index}`, target: { email: `${index}@example.com`, quizIds: ['q'] } })
    await ledger.claim(claim)
    await ledger.close()
    const content = readFileSync(path)
    content.fill(0xff, 8192, content.length - 4096)
    writeFileSync(path, content)
    const found = await openLedger({ path, driver })
      .then(async (opened) => {
        const { problems } = await opened.check()
        await opened.close()
        return problems.length > 0
      })
      .catch(({ code }: { code: string }) => code === 'LEDGER_UNUSABLE')
    expect(found).toBe(true)
  })

  test('an older schema is brought to the newest, whole or not at all', () => {
    const database = loadDriver(driver).open('')
    migrate(database, 'x', ['CREATE TABLE one (value TEXT)'])
    const steps = ['CREATE TABLE one (value TEXT)', 'ALTER TABLE one ADD COLUMN more TEXT']
    expect(() => migrate(database, 'x', [...steps, 'CREATE TABEL typo'])).toThrow(/syntax/)
    expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 1 })
    migrate(database, 'x', steps)
    expect(database.prepare('SELECT count(more) AS found FROM one').get()).toMatchObject({ found: 0 })
    expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 2 })
    database.close()
  })

  test('the log stays small in a long run', { timeout: 60_000 }, async () => {
    const path = join(ownFolder(), 'long.ledger')
    const ledger = await freshLedger(standingClock(), { path, driver })
    let most = 0
    for (let row = 0; row < 3000; row += 10) {
      const rows = Array.from({ length: 10 }, (_each, index) => `r${row + index}`)
      await Promise.all(
        rows.map(async (reference) => {
          const target = { email: `${reference}@example.com`, quizIds: ['q'] }
          await ledger.claim({ ...claim, reference, target })
          const found = { inviteId: reference, expiresAt: '2030-01-15T00:00:00.000Z', challengeUrl: 'x'.repeat(60) }
          await ledger.settle(reference, { state: 'created', invites: [found] })
        }),
      )
      most = Math.max(most, statSync(`${path}-wal`).size)
    }
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(5_000_000)
  })

  test('a ledger that another process keeps locked is waited for, then it says so, and the next write goes well', async () => {
    const path = join(ownFolder(), 'locked.ledger')
    const clock = standingClock()
    const ledger = await freshLedger(clock, { path, driver })
    const other = loadDriver(driver).open(path)
    other.exec('BEGIN IMMEDIATE')
    const error = await failureOf(ledger.claim(claim))
    expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
    expect(error.message).toContain('locked')
    /* Ten waits would be all of its time; SQLite's own waiting is part of it. */
    expect(clock.waits.length).toBeGreaterThan(0)
    expect(clock.waits.length).toBeLessThan(10)
    other.exec('ROLLBACK')
    other.close()
    expect(await ledger.claim(claim)).toEqual({ kind: 'claimed' })
  })

  test
    .skipIf(process.platform === 'win32')
    .each<{ what: string; beside?: string; content?: string }>([
      { what: 'removed' },
      { what: 'moved' },
      { what: 'replaced' },
      { what: 'without its log', beside: '-wal' },
      { what: 'without the index of its log', beside: '-shm' },
      { what: 'with another index of its log', beside: '-shm', content: '' },
    ])(
    'nothing more is recorded in a ledger that is $what while it is in use: nobody would ever read it',
    async ({ what, beside, content }) => {
      const path = join(ownFolder(), 'invites.ledger')
      const ledger = await freshLedger(standingClock(), { path, driver })
      await ledger.claim(claim)
      if (what === 'removed') rmSync(path)
      else if (beside !== undefined) rmSync(path + beside)
      else renameSync(path, `${path}.elsewhere`)
      if (what === 'replaced') writeFileSync(path, readFileSync(`${path}.elsewhere`))
      if (content !== undefined) writeFileSync(path + beside, content)
      const other = { ...claim, reference: 'b', target: { email: 'grace@example.com', quizIds: ['quiz'] } }
      const log = () => (beside === '-shm' ? readFileSync(`${path}-wal`) : undefined)
      const before = log()
      const error = await failureOf(ledger.claim(other))
      expect(log()).toEqual(before)
      expect([error.code, error.message]).toEqual(['LEDGER_UNUSABLE', expect.stringContaining('while it was in use')])
      expect(await failureOf(ledger.settle('a', { state: 'refused' }))).toMatchObject({ code: 'LEDGER_UNUSABLE' })
    },
  )

  test.skipIf(process.platform === 'win32')(
    'a new ledger is not made beside the log of one that is gone: the log would be lost, and it is all there is',
    async () => {
      const path = join(ownFolder(), 'invites.ledger')
      const ledger = await freshLedger(standingClock(), { path, driver })
      await ledger.claim(claim)
      renameSync(path, `${path}.elsewhere`)
      const error = await failureOf(openLedger({ path, driver }))
      expect([error.code, error.message]).toEqual(['LEDGER_UNUSABLE', expect.stringContaining('is missing')])
      renameSync(`${path}.elsewhere`, path)
      const again = await freshLedger(standingClock(), { path, driver })
      expect((await again.check()).entries).toMatchObject({ sending: 1 })
    },
  )

  test.skipIf(process.platform === 'win32')(
    'a commit counts only if the files are the same after it: another process may have exchanged them meanwhile',
    async () => {
      const path = join(ownFolder(), 'invites.ledger')
      let isExchanged = false
      const clock = standingClock()
      /* The clock is read inside of the transaction. */
      const now = () => {
        if (isExchanged) rmSync(`${path}-shm`, { force: true })
        return clock.now()
      }
      const ledger = await freshLedger({ ...clock, now }, { path, driver })
      await ledger.claim(claim)
      isExchanged = true
      const error = await failureOf(
        ledger.claim({ ...claim, reference: 'b', target: { email: 'b', quizIds: ['quiz'] } }),
      )
      expect([error.code, error.message]).toEqual(['LEDGER_UNUSABLE', expect.stringContaining('while it was in use')])
    },
  )

  test.skipIf(process.platform === 'win32')(
    'whoever finds the index of the log gone waits until nobody has the ledger open: they could not see each other',
    async () => {
      const path = join(ownFolder(), 'invites.ledger')
      const first = await freshLedger(standingClock(), { path, driver })
      await first.claim(claim)
      const other = loadDriver(driver).open(path)
      onTestFinished(() => void other.close())
      other.exec('BEGIN; SELECT count(*) FROM sends')
      await first.close()
      rmSync(`${path}-shm`)
      const clock = standingClock()
      expect((await failureOf(openLedger({ path, driver, clock, busyTimeoutMs: 0 }))).message).toContain('locked')
    },
  )

  test('a ledger with a second name is refused: each name would have a log of its own', async () => {
    const path = join(ownFolder(), 'invites.ledger')
    await (await openLedger({ path, driver })).close()
    linkSync(path, `${path}.other`)
    for (const name of [path, `${path}.other`]) {
      const error = await failureOf(openLedger({ path: name, driver }))
      expect([error.code, error.message]).toEqual(['LEDGER_UNUSABLE', expect.stringContaining('a hard link')])
    }
    rmSync(`${path}.other`)
    await freshLedger(standingClock(), { path, driver })
  })

  test.skipIf(process.platform === 'win32')(
    'a link whose target is gone is no way around the log that is left of it',
    async () => {
      const folder = ownFolder()
      const [path, link] = [join(folder, 'invites.ledger'), join(folder, 'link')]
      symlinkSync('invites.ledger', link)
      writeFileSync(`${path}-wal`, 'the last sends')
      expect((await failureOf(openLedger({ path: link, driver }))).message).toContain('is missing')
      expect(readdirSync(folder).toSorted()).toEqual(['invites.ledger-wal', 'link'])
    },
  )

  test('a path may be a link to a ledger: both names are one ledger', async () => {
    const folder = ownFolder()
    const [path, link] = [join(folder, 'invites.ledger'), join(folder, 'link')]
    symlinkSync(path, link)
    const byLink = await freshLedger(standingClock(), { path: link, driver })
    const byName = await freshLedger(standingClock(), { path, driver })
    await byLink.claim(claim)
    expect((await byName.check()).entries).toMatchObject({ sending: 1 })
  })

  test('writes of one turn share one transaction; one that the file refuses fails alone', async () => {
    const path = join(ownFolder(), 'shared.ledger')
    const ledger = await freshLedger(standingClock(), { path, driver })
    const pages = () => statSync(`${path}-wal`).size
    await ledger.claim(claim)
    const before = pages()
    await ledger.claim({ ...claim, reference: 'one', target: { email: 'one@example.com', quizIds: ['q'] } })
    const ofOne = pages() - before
    const many = Array.from({ length: 32 }, (_each, index) => ({
      ...claim,
      reference: `m${index}`,
      target: { email: `m${index}@example.com`, quizIds: ['q'] },
    }))
    await Promise.all(many.map(ledger.claim))
    expect(pages() - before - ofOne).toBeLessThan(ofOne * 4)
    /* A reference is taken twice: that claim fails whole, and the other one of the turn does not fail with it. */
    const turn = await Promise.allSettled([
      ledger.claim({ ...claim, reference: 'new', target: { email: 'new@example.com', quizIds: ['q'] } }),
      ledger.claim({ ...claim, reference: 'one', target: { email: 'two@example.com', quizIds: ['q'] } }),
    ])
    expect(turn.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect((await ledger.find('new'))?.state).toBe('sending')
    expect(await ledger.lookUp(claim.scope, [{ email: 'two@example.com', quizIds: ['q'] }])).toEqual([undefined])
  })

  test('what was purged is not in the files any more', async () => {
    const path = join(ownFolder(), 'purged.ledger')
    const ledger = await freshLedger(standingClock(), { path, driver })
    await ledger.claim({ ...claim, target: { email: 'forget-me@example.com', quizIds: ['q'] } })
    await ledger.settle('a', { state: 'refused' })
    await ledger.purge({ email: 'forget-me@example.com' })
    for (const file of [path, `${path}-wal`]) expect(readFileSync(file).includes('forget-me')).toBe(false)
  })
})

test.each(DRIVERS)('over %s a commit is flushed to the disk itself, on macOS too', (driver) => {
  const file = openFile(loadDriver(driver), join(ownFolder(), 'invites.ledger'))
  onTestFinished(() => file.close())
  const pragmaOf = (pragma: string) => Object.values(file.database.prepare(`PRAGMA ${pragma}`).get() as object)[0]
  expect(['synchronous', 'fullfsync', 'checkpoint_fullfsync'].map(pragmaOf)).toEqual([2, 1, 1])
})

/* Not a device: a test that fails would change that of this machine. */
function pipeIn(folder: string): string {
  execFileSync('mkfifo', [join(folder, 'pipe')])
  return join(folder, 'pipe')
}

test('a path that is no file, or that leads through a file, is refused with what it is', async () => {
  const folder = ownFolder()
  mkdirSync(join(folder, 'taken'))
  writeFileSync(join(folder, 'file'), '')
  for (const [path, words] of [
    [join(folder, 'taken'), 'it is a folder'],
    ...(process.platform === 'win32' ? [] : ([[pipeIn(folder), 'it is a device or a pipe']] as const)),
    [join(folder, 'file', 'x'), 'a part of the path is not a folder'],
  ] as const) {
    const message = expect.stringContaining(words)
    expect(await failureOf(openLedger({ path }))).toMatchObject({ code: 'LEDGER_UNUSABLE', message })
  }
})
