import { execFileSync } from 'node:child_process'
import fs, {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openLedger } from './whole.ts'
import { processLockOf } from '../../../src/ledger/process-lock.ts'
import { loadDriver } from '../../../src/ledger/sqlite-driver.ts'
import { failureOf } from '../failing.ts'
import { all, freshLedger, ownFolder, standingClock } from './setting.ts'
import { settle } from './contract/samples.ts'

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
const claimOf = (reference: string, email = `${reference}@example.com`) => ({
  scope: { baseUrl: 'https://certify.test', account: 'acme', world: '' },
  target: { email, quizIds: ['quiz'] },
  reference,
  input: { quizId: 'quiz', candidate: { email } },
  leaseMs: 1000,
})
const created = (inviteId: string) => ({
  state: 'created' as const,
  invites: [{ inviteId, expiresAt: '2030-01-15T00:00:00.000Z' }] as const,
})
/* The header of an SQLite file counts the transactions that changed the file. */
const commitsOf = (path: string) => readFileSync(path).readUInt32BE(24)

test('the files are readable by their owner only, whatever the umask', async () => {
  const path = join(ownFolder(), 'invites.ledger')
  const before = process.umask(0)
  try {
    const ledger = await freshLedger(standingClock(), { path })
    await ledger.claim(claimOf('a'))
    expect([path, `${path}-highest-id`].map(mode)).toEqual(['600', '600'])
  } finally {
    process.umask(before)
  }
})

test('no folder is made for a ledger: a misspelt path would be a new ledger', async () => {
  const folder = ownFolder()
  const error = await failureOf(openLedger(join(folder, 'no', 'such', 'invites.ledger'), { acceptLoss: true }))
  expect(error.message).toMatch(/its folder does not exist \(ENOENT\)/)
  expect(readdirSync(folder)).toEqual([])
})

test('a ledger that others could read is made private; an existing folder keeps its mode', async () => {
  const folder = ownFolder()
  const path = join(folder, 'invites.ledger')
  await (await openLedger(path)).close()
  chmodSync(path, 0o644)
  chmodSync(folder, 0o755)
  await freshLedger(standingClock(), { path })
  expect([mode(path), mode(folder)]).toEqual(['600', '755'])
})

test.each([
  ['text', Buffer.from('email,name\nada@example.com,Ada\n'.repeat(50))],
  ['zeros', Buffer.alloc(5000)],
  ['the beginning of a database', Buffer.from('SQLite format 3\0 and then nothing'.padEnd(200, 'x'))],
])('a file that is not a ledger is refused and left alone: %s', async (_what, content) => {
  const path = join(ownFolder(), 'precious')
  writeFileSync(path, content)
  const error = await failureOf(openLedger(path))
  expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
  expect(error.message).toContain(path)
  expect(readFileSync(path).equals(content)).toBe(true)
})

test.each([
  ['a database of something else', 'CREATE TABLE precious (value TEXT)', 'not a ledger', 'Give another path'],
  ['a ledger of a later version', 'UPDATE certify_ledger SET version = 99', 'another version', 'Use the version'],
  ['a ledger from before 0.1.0', 'UPDATE certify_ledger SET version = 1', 'another version', 'another path begins'],
])('%s is refused and left alone, and the hint says what to do', async (_what, sql, words, hint) => {
  const path = join(ownFolder(), 'other.db')
  if (sql.startsWith('UPDATE')) await (await openLedger(path)).close()
  const database = loadDriver().open(path)
  database.exec(sql)
  database.close()
  const before = readFileSync(path)
  const error = await failureOf(openLedger(path))
  expect([error.code, error.message]).toEqual(['LEDGER_UNUSABLE', expect.stringContaining(words)])
  expect(error.hint).toContain(hint)
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a damaged ledger is refused on opening or reported by check, never recreated', async () => {
  const path = join(ownFolder(), 'damaged.ledger')
  const ledger = await openLedger(path)
  await Promise.all(Array.from({ length: 200 }, (_each, index) => ledger.claim(claimOf(`r${index}`))))
  await ledger.close()
  const content = readFileSync(path)
  content.fill(0xff, 8192, content.length - 4096)
  writeFileSync(path, content)
  const found = await openLedger(path)
    .then(async (opened) => {
      const { problems } = await opened.check()
      await opened.close()
      return problems.length > 0
    })
    .catch(({ code }: { code: string }) => code === 'LEDGER_UNUSABLE')
  expect(found).toBe(true)
})

test('a lock of another process is waited for, and reported once the time is up', async () => {
  const path = join(ownFolder(), 'locked.ledger')
  const clock = standingClock()
  let isLocked = true
  const startTimer = (ms: number, ring: () => void) => {
    if (isLocked) other.close()
    isLocked = false
    return clock.startTimer(ms, ring)
  }
  const patient = await openLedger(path, { clock: { ...clock, startTimer }, busyTimeoutMs: 600_000 })
  const impatient = await openLedger(path, { clock, busyTimeoutMs: 0 })
  onTestFinished(async () => void (await Promise.all([patient.close(), impatient.close()])))
  const other = loadDriver().open(path)
  other.exec('BEGIN IMMEDIATE')
  const error = await failureOf(impatient.claim(claimOf('a')))
  expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
  expect(error.message).toContain('locked')
  expect(await patient.claim(claimOf('a'))).toMatchObject({ kind: 'claimed' })
  expect(isLocked).toBe(false)
})

test('a path may be a symbolic link: both names open the same ledger', async () => {
  const folder = ownFolder()
  const [path, link] = [join(folder, 'invites.ledger'), join(folder, 'link')]
  symlinkSync(path, link)
  const byLink = await freshLedger(standingClock(), { path: link })
  const byName = await freshLedger(standingClock(), { path })
  await byLink.claim(claimOf('a'))
  expect((await byName.check()).records).toMatchObject({ sending: 1 })
})

test('writes in one turn of the event loop share one commit, and one that fails does not affect the others', async () => {
  const path = join(ownFolder(), 'shared.ledger')
  const ledger = await freshLedger(standingClock(), { path })
  await ledger.claim(claimOf('one'))
  const before = commitsOf(path)
  await Promise.all(Array.from({ length: 32 }, (_each, index) => ledger.claim(claimOf(`m${index}`))))
  expect(commitsOf(path) - before).toBe(1)
  /* Its input cannot be written as JSON: that claim fails, and the other one of the turn does not. */
  const turn = await Promise.allSettled([
    ledger.claim(claimOf('new')),
    ledger.claim({ ...claimOf('two', 'two@example.com'), input: { quizId: 1n } as never }),
  ])
  expect(turn.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect((await ledger.find('new'))?.state).toBe('sending')
  expect(await all(ledger.list({ email: 'two@example.com' }))).toEqual([])
})

test('reads leave the file unchanged', async () => {
  const ledger = await freshLedger()
  await ledger.claim(claimOf('a'))
  const before = readFileSync(ledger.path)
  await Promise.all([ledger.find('a'), ledger.check(), all(ledger.list()), ledger.lookUp(claimOf('a').scope, [])])
  expect(readFileSync(ledger.path).equals(before)).toBe(true)
})

test('purged data is gone from the file, events included', async () => {
  const ledger = await freshLedger()
  await ledger.claim(claimOf('a', 'forget-me@example.com'))
  await settle(ledger, 'a', created('inv_1'))
  const body = new TextEncoder().encode('{"candidateEmail":"forget-me@example.com"}')
  await ledger.inbox.append({ key: 'cb_1', reference: 'a', deliveryId: null, body, receivedAt: 0 })
  await ledger.purge({ email: 'forget-me@example.com' })
  await ledger.close()
  expect(readFileSync(ledger.path, 'latin1')).not.toMatch(/forget-me|inv_1/)
})

describe('a ledger restored from an older copy', () => {
  /* A ledger with two sends, and a copy of it with one. */
  async function setBack() {
    const path = join(ownFolder(), 'invites.ledger')
    const ledger = await freshLedger(standingClock(), { path })
    await ledger.claim(claimOf('a'))
    copyFileSync(path, `${path}.backup`)
    await ledger.claim(claimOf('b'))
    return { path, ledger }
  }
  const REFUSED = { code: 'LEDGER_UNUSABLE', outcome: 'not-executed', hint: expect.stringContaining('--accept-loss') }

  test.each([
    ['an older copy over it', (path: string) => copyFileSync(`${path}.backup`, path)],
    ['an older file moved to its place', (path: string) => renameSync(`${path}.backup`, path)],
    ['an empty file in its place', (path: string) => writeFileSync(path, '')],
    ['nothing in its place', (path: string) => rmSync(path)],
  ])('is refused and left alone: %s', async (_what, putBack) => {
    const { path, ledger } = await setBack()
    await ledger.close()
    putBack(path)
    const before = existsSync(path) && readFileSync(path)
    expect(await failureOf(openLedger(path))).toMatchObject(REFUSED)
    expect(existsSync(path) && readFileSync(path)).toEqual(before)
  })

  test('stays refused for everybody, whatever a process does that has had it open since before', async () => {
    const { path, ledger } = await setBack()
    const other = await freshLedger(standingClock(), { path })
    await other.claim(claimOf('c'))
    copyFileSync(`${path}.backup`, path)
    expect(await failureOf(ledger.count())).toMatchObject(REFUSED)
    expect(await failureOf(ledger.claim(claimOf('new')))).toMatchObject(REFUSED)
    expect(readFileSync(`${path}-highest-id`, 'utf8').trim()).toBe('3')
    expect(await failureOf(openLedger(path))).toMatchObject(REFUSED)
  })

  test.each([
    ['a ledger without records in its place', (path: string) => copyFileSync(`${path}.day0`, path)],
    ['its number was deleted with it', (path: string) => rmSync(`${path}-highest-id`)],
    ['its number cannot be understood', (path: string) => writeFileSync(`${path}-highest-id`, 'rubbish')],
  ])('is refused for creates in a process that has it open, and in a new one: %s', async (_what, change) => {
    const path = join(ownFolder(), 'invites.ledger')
    const ledger = await freshLedger(standingClock(), { path })
    copyFileSync(path, `${path}.day0`)
    await ledger.claim(claimOf('a'))
    change(path)
    expect(await failureOf(ledger.claim(claimOf('b')))).toMatchObject(REFUSED)
    const again = freshLedger(standingClock(), { path }).then((opened) => opened.claim(claimOf('b')))
    expect(await failureOf(again)).toMatchObject(REFUSED)
  })

  test('whose number cannot be read is refused: it may say anything', async () => {
    const { path, ledger } = await setBack()
    rmSync(`${path}-highest-id`)
    mkdirSync(`${path}-highest-id`)
    const message = expect.stringContaining(`${path}-highest-id: it is a folder (EISDIR)`)
    expect(await failureOf(ledger.count())).toMatchObject({ code: 'LEDGER_UNUSABLE', message })
  })

  test('is refused if the path is a link, and the file of the link was removed', async () => {
    const { path, ledger } = await setBack()
    await ledger.close()
    const link = join(ownFolder(), 'current')
    symlinkSync(path, link)
    rmSync(path)
    expect(await failureOf(openLedger(link))).toMatchObject(REFUSED)
    expect(existsSync(path)).toBe(false)
  })

  test('is noticed if it only lacks that a refused reference was claimed again', async () => {
    const { path, ledger } = await setBack()
    await settle(ledger, 'b', { state: 'refused', code: 'NOT_FOUND' })
    copyFileSync(path, `${path}.backup`)
    expect(await ledger.claim(claimOf('b'))).toMatchObject({ kind: 'claimed', reference: 'b' })
    copyFileSync(`${path}.backup`, path)
    expect(await failureOf(ledger.claim(claimOf('b')))).toMatchObject(REFUSED)
    expect(await failureOf(openLedger(path))).toMatchObject(REFUSED)
  })

  test('can be used again once the loss has been accepted', async () => {
    const { path, ledger } = await setBack()
    await ledger.close()
    copyFileSync(`${path}.backup`, path)
    await (await openLedger(path, { acceptLoss: true })).close()
    const again = await freshLedger(standingClock(), { path })
    expect(await again.claim(claimOf('b'))).toMatchObject({ kind: 'claimed' })
  })

  test.each([
    ['moved without its highest-id file', (path: string) => rmSync(`${path}-highest-id`)],
    [
      'restored from a backup elsewhere',
      (path: string) => {
        rmSync(`${path}-highest-id`)
        renameSync(`${path}.backup`, path)
      },
    ],
  ])('can be read, and nothing is added until a person accepts the loss: %s', async (_what, move) => {
    const { path, ledger } = await setBack()
    await ledger.close()
    move(path)
    const moved = await freshLedger(standingClock(), { path })
    expect(await moved.find('a')).toMatchObject({ state: 'sending' })
    expect(await failureOf(moved.claim(claimOf('c')))).toMatchObject(REFUSED)
    await settle(moved, 'a', created('inv_1'))
    await moved.close()
    await (await openLedger(path, { acceptLoss: true })).close()
    expect(await (await freshLedger(standingClock(), { path })).claim(claimOf('c'))).toMatchObject({ kind: 'claimed' })
  })
})

describe('a backup', () => {
  test('has every record, reference, invite and event, can be read anywhere, and is not sent from before the loss is accepted', async () => {
    const ledger = await freshLedger()
    const references = Array.from({ length: 600 }, (_each, index) => `r${index}`)
    await Promise.all(references.map((reference) => ledger.claim(claimOf(reference))))
    const [invite] = created('inv_1').invites
    await settle(ledger, 'r599', { state: 'created', invites: [{ ...invite, challengeUrl: 'https://certify.test/c' }] })
    expect(await ledger.claim({ ...claimOf('r599'), reference: 'later', ifInvited: 'reuse' })).toMatchObject({
      kind: 'taken',
    })
    const event = { key: 'cb_1', reference: 'r599', deliveryId: null, body: new Uint8Array([1]), receivedAt: 0 }
    await ledger.inbox.append(event)
    const to = join(ownFolder(), 'backup.ledger')
    expect(await ledger.backup(to)).toEqual({ records: 600 })
    expect(mode(to)).toBe('600')
    const before = readFileSync(to)
    const backup = await freshLedger(standingClock(), { path: to })
    expect(await backup.check()).toMatchObject({ problems: [], records: { sending: 599, created: 1 } })
    expect(await all(backup.list({ inviteId: 'inv_1' }))).toMatchObject([{ reference: 'r599' }])
    expect(await backup.find('later')).toMatchObject({ reference: 'later', sameAs: 'r599' })
    expect(await backup.inbox.find('cb_1')).toMatchObject({ reference: 'r599', body: new Uint8Array([1]) })
    expect([readFileSync(to).equals(before), existsSync(`${to}-journal`)]).toEqual([true, false])
    expect(await failureOf(backup.claim(claimOf('new')))).toMatchObject({
      hint: expect.stringContaining('--accept-loss'),
    })
  })

  test('is checked when it is first opened for creates, and not when it is read', async () => {
    const to = join(ownFolder(), 'backup.ledger')
    const ledger = await freshLedger()
    await ledger.claim(claimOf('a'))
    await ledger.backup(to)
    emptyIndex(to, 'certify_sends_candidate')
    const read = await openLedger(to)
    expect(await read.find('a')).toBeDefined()
    await read.inbox.append({ key: 'cb_1', reference: 'a', deliveryId: null, body: new Uint8Array(), receivedAt: 0 })
    await read.close()
    for (const acceptLoss of [true, false]) {
      expect((await failureOf(openLedger(to, { acceptLoss }))).message).toContain('it is damaged')
    }
  })

  test('is made in pages: a create in between is recorded at once', async () => {
    const ledger = await freshLedger()
    await Promise.all(Array.from({ length: 1200 }, (_each, index) => ledger.claim(claimOf(`r${index}`))))
    const order: string[] = []
    await Promise.all([
      ledger.backup(join(ownFolder(), 'backup.ledger')).then(() => order.push('backup')),
      ledger.claim(claimOf('new')).then(() => order.push('create')),
    ])
    expect(order).toEqual(['create', 'backup'])
  })

  test.each([
    ['is there already', (folder: string) => folder, 'already exists'],
    ['is in a folder that does not exist', (folder: string) => join(folder, 'no', 'x'), 'its folder does not exist'],
  ])('is refused, and nothing is left behind, if its file %s', async (_what, pathIn, words) => {
    const folder = ownFolder()
    const error = await failureOf((await freshLedger()).backup(pathIn(folder)))
    expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', message: expect.stringContaining(words) })
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a ledger that is damaged while it is in use', () => {
  async function damagedInUse() {
    const path = join(ownFolder(), 'invites.ledger')
    const ledger = await freshLedger(standingClock(), { path })
    await Promise.all(Array.from({ length: 200 }, (_each, index) => ledger.claim(claimOf(`r${index}`))))
    copyFileSync(path, `${path}.whole`)
    const content = readFileSync(path)
    content.fill(0xff, 4096 * 2)
    /* Another program commits: otherwise SQLite would go on with the pages in its memory. */
    content.writeUInt32BE(content.readUInt32BE(24) + 1, 24)
    writeFileSync(path, content)
    return { path, ledger }
  }

  test('refuses everything from the first sign on, and so does the next opening', async () => {
    const { path, ledger } = await damagedInUse()
    expect((await failureOf(ledger.check())).message).toContain('it is damaged')
    copyFileSync(`${path}.whole`, path)
    expect((await failureOf(ledger.claim(claimOf('new')))).message).toContain('it is damaged')
    await ledger.close()
    const whole = await freshLedger(standingClock(), { path })
    expect(await whole.claim(claimOf('new'))).toMatchObject({ kind: 'claimed' })
  })

  test('is refused by another process that had it open before, and still after that one has gone on', async () => {
    const { path, ledger } = await damagedInUse()
    copyFileSync(path, `${path}.damaged`)
    copyFileSync(`${path}.whole`, path)
    const other = await freshLedger(standingClock(), { path })
    copyFileSync(`${path}.damaged`, path)
    await failureOf(ledger.check())
    copyFileSync(`${path}.whole`, path)
    for (const each of [other, other, ledger])
      expect((await failureOf(each.claim(claimOf('new')))).message).toContain('it is damaged')
    expect(readFileSync(`${path}-highest-id`, 'utf8')).toMatch(/^ *200\ndamaged\n$/)
  })

  test('is not opened although its journal is empty', async () => {
    const { path, ledger } = await damagedInUse()
    await failureOf(ledger.check())
    await ledger.close()
    expect((await failureOf(openLedger(path))).message).toContain('it is damaged')
  })

  test('a file that was cut short is named as damaged', async () => {
    const { path, ledger } = await damagedInUse()
    truncateSync(path, 4096 * 3)
    expect((await failureOf(ledger.claim(claimOf('r1', 'new@example.com')))).message).toContain('it is damaged')
  })

  test('check finds rows that an index does not find', async () => {
    const { path, ledger } = await damagedInUse()
    await ledger.close()
    copyFileSync(`${path}.whole`, path)
    emptyIndex(path, 'certify_sends_candidate')
    const opened = await freshLedger(standingClock(), { path })
    expect((await opened.check()).problems).toEqual([
      'the index certify_sends_candidate does not find 200 rows of certify_sends',
    ])
  })
})

/* Its root becomes a page without records. */
function emptyIndex(path: string, name: string): void {
  const database = loadDriver().open(path)
  const { size, root } = database
    .prepare('SELECT page_size AS size, rootpage AS root FROM pragma_page_size, sqlite_master WHERE name = ?')
    .all(name)[0] as { size: number; root: number }
  database.close()
  const content = readFileSync(path)
  content.fill(0, size * (root - 1), size * root)
  content.writeUInt8(10, size * (root - 1))
  content.writeUInt16BE(size, size * (root - 1) + 5)
  writeFileSync(path, content)
}

describe('the lock of a ledger', () => {
  /* A ledger, and the lock as another thread has it. */
  async function lockedLedger() {
    const clock = standingClock()
    const ledger = await freshLedger(clock)
    await ledger.claim(claimOf('a'))
    const [owned = ''] = readdirSync(`${ledger.path}-lock`)
    const held = join(`${ledger.path}-lock`, 'held')
    mkdirSync(held)
    const hold = (change: (parts: string[]) => void) => {
      const parts = owned.slice('of-'.length).split('.')
      parts[6] = 'another'
      change(parts)
      writeFileSync(join(held, parts.join('.')), '')
    }
    const waitedMs = () => clock.waits.reduce((sum, ms) => sum + ms, 0)
    return { clock, ledger, owned, held, hold, waitedMs, claim: () => ledger.claim(claimOf('b')) }
  }

  test('is waited for, then reported by its folder, and the next create succeeds', async () => {
    const { held, hold, claim, waitedMs } = await lockedLedger()
    hold(() => {})
    const error = await failureOf(claim())
    expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
    expect(error.message).toContain(`process ${process.pid} has locked it, by ${held}`)
    expect(waitedMs()).toBe(200)
    rmSync(held, { recursive: true })
    expect(await claim()).toMatchObject({ kind: 'claimed' })
  })

  test.each<[string, (parts: string[]) => void]>([
    ['its process has ended', (parts) => parts.splice(2, 2, '999999999', '999999999')],
    ['its process has ended, and another one has its number', (parts) => parts.splice(4, 1, '1')],
    [
      'its process has ended, and its name has another file, as in a copied folder',
      (parts) => parts.splice(2, 4, '999999999', '999999999', '1', '1-1'),
    ],
  ])('is taken over without a wait if %s', async (_what, change) => {
    const { clock, hold, claim } = await lockedLedger()
    hold(change)
    expect(await claim()).toMatchObject({ kind: 'claimed' })
    expect(clock.waits).toEqual([1])
  })

  test('that is held by a check is waited for while the check goes on, and the error names the check', async () => {
    const path = join(ownFolder(), 'invites.ledger')
    await (await openLedger(path)).close()
    const lock = processLockOf(path)
    expect(lock.tryTake()).toBe(true)
    lock.tell('1')
    const onCheck = vi.fn<() => void>()
    const error = await failureOf(openLedger(path, { clock: standingClock(), busyTimeoutMs: 200, onCheck }))
    expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', retryable: true })
    expect(error.message).toContain(`process ${process.pid} reads the whole file, to check it`)
    expect(onCheck).toHaveBeenCalledTimes(1)

    const clock = standingClock()
    const signs = {
      ...clock,
      startTimer(ms: number, ring: () => void) {
        lock.tell(String(clock.waits.length))
        if (clock.waits.length === 600) {
          lock.tell('')
          lock.give()
        }
        return clock.startTimer(ms, ring)
      },
    }
    await (await openLedger(path, { clock: signs, busyTimeoutMs: 200, onCheck })).close()
    lock.close()
  })

  /* Whatever is not proven to be dead. */
  const UNSEEN: readonly (readonly [whose: string, change: (parts: string[]) => void])[] = [
    ['another container', (parts) => parts.splice(1, 1, '1-2')],
    ['another time namespace', (parts) => parts.splice(1, 1, `${parts[1]?.split('-')[0]}-1`)],
    ['another boot, or another machine', (parts) => parts.splice(0, 1, 'another-boot')],
    ['a process that could not read its boot', (parts) => parts.splice(0, 1, '')],
    ['a process that could not read its namespaces', (parts) => parts.splice(1, 1, '')],
    ['a dead process of another boot', (parts) => parts.splice(0, 3, 'another-boot', parts[1] ?? '', '999999999')],
    ['a living process and another file, as in a snapshot', (parts) => parts.splice(5, 1, '1-1')],
    ['nobody', (parts) => parts.splice(0, 7, 'x')],
  ]

  test.each(UNSEEN)('of %s is waited for, and taken over after 30 seconds without a sign', async (_whose, change) => {
    const { hold, claim, waitedMs } = await lockedLedger()
    hold(change)
    expect(await claim()).toMatchObject({ kind: 'claimed' })
    expect(waitedMs()).toBeGreaterThanOrEqual(30_000)
    expect(waitedMs()).toBeLessThan(30_300)
  })

  test('of a thread that cannot be seen is taken over after 2 seconds if its last sign is old by the clock', async () => {
    const { hold, claim, waitedMs } = await lockedLedger()
    hold((parts) => parts.splice(0, 1, 'another-boot'))
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 31_000)
    onTestFinished(() => void vi.restoreAllMocks())
    expect(await claim()).toMatchObject({ kind: 'claimed' })
    expect(waitedMs()).toBeGreaterThanOrEqual(2000)
    expect(waitedMs()).toBeLessThan(2300)
  })

  test('of a thread that cannot be seen, and gives signs, is not taken over, and no process is named', async () => {
    const { clock, held, hold, claim } = await lockedLedger()
    hold((parts) => parts.splice(0, 1, 'another-boot'))
    const startTimer = clock.startTimer.bind(clock)
    vi.spyOn(clock, 'startTimer').mockImplementation((ms, ring) => {
      utimesSync(held, new Date(), new Date())
      return startTimer(ms, ring)
    })
    const { message, hint } = await failureOf(claim())
    expect(message).toContain('another process has locked it')
    expect(message + hint).not.toMatch(/process \d/)
  })

  test('that was taken over while this process was stopped in a transaction: nothing is written', async () => {
    const { clock, ledger, owned, held, claim } = await lockedLedger()
    rmSync(held, { recursive: true })
    const before = readFileSync(ledger.path)
    const own = join(held, owned.slice('of-'.length))
    const now = vi.spyOn(clock, 'now').mockImplementation(() => {
      if (existsSync(own)) renameSync(own, join(held, 'another'))
      return Date.parse('2030-01-01')
    })
    expect((await failureOf(claim())).message).toContain('was removed or taken over before the commit')
    expect(readFileSync(ledger.path).equals(before)).toBe(true)
    expect(readdirSync(held)).toEqual(['another'])
    now.mockRestore()
    rmSync(held, { recursive: true })
    expect(await claim()).toMatchObject({ kind: 'claimed' })
  })

  test('that was taken over: what this process has read meanwhile proves no damage', async () => {
    const { clock, ledger, owned, held, claim } = await lockedLedger()
    rmSync(held, { recursive: true })
    const own = join(held, owned.slice('of-'.length))
    const now = vi.spyOn(clock, 'now').mockImplementation(() => {
      if (!existsSync(own)) return Date.parse('2030-01-01')
      rmSync(own)
      throw Object.assign(new Error('database disk image is malformed'), { errcode: 11 })
    })
    expect((await failureOf(claim())).message).toContain('was removed or taken over before the commit')
    now.mockRestore()
    expect(readFileSync(`${ledger.path}-highest-id`, 'utf8')).not.toContain('damaged')
    expect(await claim()).toMatchObject({ kind: 'claimed' })
  })

  test('that could not be given back is its own: it goes on, and gives it back while it is idle', async () => {
    const { ledger, held, owned } = await lockedLedger()
    rmSync(held, { recursive: true })
    /* As if giving it back had failed. */
    renameSync(join(`${ledger.path}-lock`, owned), held)
    expect(await ledger.claim(claimOf('b'))).toMatchObject({ kind: 'claimed' })
    expect(existsSync(held)).toBe(false)
  })

  test('whose giving back fails does not fail the commit, and is tried again while nothing else happens', async () => {
    const path = join(ownFolder(), 'invites.ledger')
    const held = join(`${path}-lock`, 'held')
    let failures = 0
    const failing =
      <Args extends readonly unknown[]>(work: (...args: Args) => void) =>
      (...args: Args) => {
        if (failures > 0 && args[0] !== held && !String(args[0]).startsWith(held)) return work(...args)
        failures -= 1
        if (failures >= 0) throw Object.assign(new Error('EROFS'), { code: 'EROFS' })
        return work(...args)
      }
    vi.spyOn(fs, 'renameSync').mockImplementation(failing(renameSync))
    vi.spyOn(fs, 'unlinkSync').mockImplementation(failing(unlinkSync))
    onTestFinished(() => void vi.restoreAllMocks())
    const ledger = await freshLedger(standingClock(), { path })
    failures = 7
    expect(await ledger.claim(claimOf('b'))).toMatchObject({ kind: 'claimed' })
    expect(existsSync(held)).toBe(true)
    /* It waits for the lock. */
    await (await openLedger(path)).close()
    expect(failures).toBeLessThanOrEqual(0)
  })

  test('is made again if somebody has removed its folder', async () => {
    const { ledger, claim } = await lockedLedger()
    rmSync(`${ledger.path}-lock`, { recursive: true })
    expect(await claim()).toMatchObject({ kind: 'claimed' })
  })

  test('that cannot be written is reported with its folder', async () => {
    const { ledger, claim } = await lockedLedger()
    rmSync(`${ledger.path}-lock`, { recursive: true })
    writeFileSync(`${ledger.path}-lock`, '')
    expect((await failureOf(claim())).message).toContain(
      `its lock, the folder ${ledger.path}-lock, cannot be used (ENOTDIR)`,
    )
  })

  test('of a thread that cannot be seen leaves no folder behind, once it is old', async () => {
    const { ledger, held, hold } = await lockedLedger()
    hold((parts) => parts.splice(0, 1, 'another-boot'))
    renameSync(held, join(`${ledger.path}-lock`, 'of-another-boot'))
    await (await openLedger(ledger.path)).close()
    expect(readdirSync(`${ledger.path}-lock`)).toContain('of-another-boot')
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 31_000)
    onTestFinished(() => void vi.restoreAllMocks())
    await (await openLedger(ledger.path)).close()
    expect(readdirSync(`${ledger.path}-lock`)).toHaveLength(1)
    expect(await ledger.claim(claimOf('b'))).toMatchObject({ kind: 'claimed' })
  })

  test('leaves nothing behind, and removes at an opening what others left', async () => {
    const { ledger, held, hold } = await lockedLedger()
    hold((parts) => parts.splice(2, 2, '999999999', '999999999'))
    const [name = ''] = readdirSync(held)
    renameSync(held, join(`${ledger.path}-lock`, `of-${name}`))
    mkdirSync(join(`${ledger.path}-lock`, 'of-nobody'))
    const other = await freshLedger(standingClock(), { path: ledger.path })
    expect(readdirSync(`${ledger.path}-lock`)).toHaveLength(2)
    await other.close()
    await ledger.close()
    expect(readdirSync(join(ledger.path, '..'))).toEqual([
      'invites.ledger',
      'invites.ledger-highest-id',
      'invites.ledger-journal',
    ])
  })
})

describe('a ledger whose writer was killed during a commit', () => {
  /* Part of the commit is in the file: its pages did not fit into the cache. `backup` is an older copy. */
  async function killedDuringCommit() {
    const [whole, path] = [join(ownFolder(), 'invites.ledger'), join(ownFolder(), 'killed.ledger')]
    const ledger = await freshLedger(standingClock(), { path: whole })
    const claims = Array.from({ length: 120 }, (_each, index) => claimOf(`r${index}`))
    await Promise.all(claims.slice(0, 60).map((claim) => ledger.claim(claim)))
    copyFileSync(whole, `${path}.backup`)
    await Promise.all(claims.slice(60).map((claim) => ledger.claim(claim)))
    const writer = loadDriver().open(whole)
    writer.exec(
      'PRAGMA cache_size = 5; BEGIN IMMEDIATE; UPDATE sqlite_sequence SET seq = seq + 1; DELETE FROM certify_sends WHERE id <= 100',
    )
    for (const name of ['', '-journal', '-highest-id']) copyFileSync(whole + name, path + name)
    writer.exec('ROLLBACK')
    writer.close()
    return path
  }

  test('is rolled back to before that commit', async () => {
    const path = await killedDuringCommit()
    const ledger = await freshLedger(standingClock(), { path })
    expect(await ledger.check()).toMatchObject({ problems: [], records: { sending: 120 } })
  })

  test.each([
    ['its journal was deleted', (path: string) => rmSync(`${path}-journal`)],
    ['an older copy was put beside its journal', (path: string) => copyFileSync(`${path}.backup`, path)],
  ])('is refused, every time, if %s', async (_what, damage) => {
    const path = await killedDuringCommit()
    damage(path)
    for (const time of [1, 2]) {
      const error = await failureOf(openLedger(path, { acceptLoss: time === 2 }))
      expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', message: expect.stringContaining('it is damaged') })
    }
  })
})

describe('a ledger that has no empty journal', () => {
  async function withoutJournal({ bytes = 0 } = {}) {
    const path = join(ownFolder(), 'invites.ledger')
    const ledger = await openLedger(path)
    await ledger.claim(claimOf('a'))
    await ledger.close()
    const database = loadDriver().open(path)
    database.exec(`INSERT INTO certify_events (key, reference, body, received_at, state, due_at)
      VALUES ('large', 'a', zeroblob(${bytes}), 0, 'done', 0)`)
    database.close()
    rmSync(`${path}-journal`, { force: true })
    return path
  }

  test.each([
    ['is missing', () => {}],
    ['was not yet synced when the writer was killed', (path: string) => writeFileSync(path, Buffer.alloc(600))],
  ])('is checked at the first opening, and not at the second, if its journal %s', async (_what, leave) => {
    const path = await withoutJournal()
    leave(`${path}-journal`)
    await (await openLedger(path)).close()
    expect(statSync(`${path}-journal`).size).toBe(0)
    emptyIndex(path, 'certify_sends_candidate')
    const again = await freshLedger(standingClock(), { path })
    expect(await again.find('a')).toBeDefined()
  })

  test('is checked on another thread, if it is large, and its caller is told', async () => {
    const path = await withoutJournal({ bytes: 9_000_000 })
    const [onCheck, onThread] = [vi.fn<() => void>(), vi.fn<() => void>()]
    process.on('worker', onThread)
    onTestFinished(() => void process.off('worker', onThread))
    const ledger = await openLedger(path, { onCheck })
    expect([onCheck.mock.calls.length, onThread.mock.calls.length]).toEqual([1, 1])
    await ledger.close()
    emptyIndex(path, 'certify_sends_candidate')
    rmSync(`${path}-journal`)
    expect((await failureOf(openLedger(path))).message).toContain('it is damaged')
  })
})

test('a ledger works without a global setImmediate, as in a browser-like test environment', async () => {
  const ledger = await freshLedger()
  vi.stubGlobal('setImmediate', undefined)
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(await ledger.claim(claimOf('a'))).toMatchObject({ kind: 'claimed' })
})

test('a file with two names can be read, and is refused for creates: each name would have a lock of its own', async () => {
  const path = join(ownFolder(), 'invites.ledger')
  const ledger = await freshLedger(standingClock(), { path })
  await ledger.claim(claimOf('a'))
  linkSync(path, `${path}2`)
  const other = await freshLedger(standingClock(), { path: `${path}2` })
  for (const each of [ledger, other]) {
    expect(await each.find('a')).toMatchObject({ state: 'sending' })
    expect((await failureOf(each.claim(claimOf('b')))).code).toBe('LEDGER_UNUSABLE')
  }
  expect((await failureOf(ledger.claim(claimOf('b')))).message).toContain('it has 2 names (hard links)')
  expect(await settle(ledger, 'a', created('inv_1'))).toBe('recorded')
  await (await openLedger(`${path}2`, { acceptLoss: true })).close()
  expect((await failureOf(other.claim(claimOf('b')))).message).toContain('it has 2 names')
  await other.close()
  rmSync(`${path}2`)
  expect(await ledger.claim(claimOf('b'))).toMatchObject({ kind: 'claimed' })
})

/* Not a device: a failing test would change the mode of this machine's device. */
function pipeIn(folder: string): string {
  execFileSync('mkfifo', [join(folder, 'pipe')])
  return join(folder, 'pipe')
}

test('a path that is not a regular file, or leads through one, is refused and the error says what it is', async () => {
  const folder = ownFolder()
  mkdirSync(join(folder, 'taken'))
  writeFileSync(join(folder, 'file'), '')
  for (const [path, words] of [
    [join(folder, 'taken'), 'it is a folder'],
    ...(process.platform === 'win32' ? [] : ([[pipeIn(folder), 'it is a device or a pipe']] as const)),
    [join(folder, 'file', 'x'), 'a part of the path is not a folder'],
  ] as const) {
    const message = expect.stringContaining(words)
    expect(await failureOf(openLedger(path))).toMatchObject({ code: 'LEDGER_UNUSABLE', message })
  }
})
