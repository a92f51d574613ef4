import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLedger } from '../../../src/ledger/index.ts'
import { type Database, type Driver, loadDriver } from '../../../src/ledger/sqlite/driver.ts'
import { openFile } from '../../../src/ledger/sqlite/file.ts'
import { installCommand } from '../../../src/ledger/sqlite/install-command.ts'
import { hasLocks } from '../../../src/ledger/sqlite/locks.ts'
import { fileSystemOf, type Mounts, mountPointsIn, refuseLoneFile } from '../../../src/ledger/sqlite/mounts.ts'
import { register } from '../../../src/ledger/sqlite/open-files.ts'
import { checkRoom, freeBytesAt } from '../../../src/ledger/sqlite/room.ts'
import { failureOf, thrownBy } from '../failing.ts'
import { DRIVERS, freshLedger, ownFolder, standingClock } from './setting.ts'

/* Files by their paths, with their devices; what is not named is not there. */
function mountsOf(devices: Record<string, number>, points?: readonly string[]): Mounts {
  return {
    points: () => (points === undefined ? undefined : new Set(points)),
    stat: (path) => (devices[path] === undefined ? undefined : { dev: devices[path], nlink: 1 }),
  }
}

describe('a ledger that is mounted as a single file is refused', () => {
  const file = '/data/invites.ledger'
  const onOneDisk = { '/data': 1, [file]: 1, [`${file}-wal`]: 1, [`${file}-shm`]: 1 }

  test.each<[string, Mounts]>([
    ['the file is a mount point, also of the same device', mountsOf(onOneDisk, ['/', file])],
    ['its log is', mountsOf(onOneDisk, ['/', `${file}-wal`])],
    ['the index of its log is', mountsOf(onOneDisk, ['/', `${file}-shm`])],
    ['where mounts are not listed, it is of another device than its folder', mountsOf({ ...onOneDisk, [file]: 2 })],
    ['where mounts are not listed, its log is', mountsOf({ ...onOneDisk, [`${file}-wal`]: 2 })],
  ])('%s', (_how, mounts) => {
    const error = thrownBy(() => refuseLoneFile(file, 'invites.ledger', mounts))
    expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
    expect(error.message).toContain('is mounted as a single file')
    expect(error.hint).toContain('Mount the folder instead of the file')
  })

  test.each<[string, Mounts]>([
    ['its folder is mounted', mountsOf(onOneDisk, ['/', '/data'])],
    ['a file is there of another device, as on some overlays', mountsOf({ ...onOneDisk, [file]: 2 }, ['/', '/data'])],
    ['what is mounted is called like its log, and is not there', mountsOf({ '/data': 1, [file]: 1 }, [`${file}-wal`])],
    ['mounts are not listed', mountsOf(onOneDisk)],
  ])('not where %s', (_how, mounts) => {
    expect(() => refuseLoneFile(file, 'invites.ledger', mounts)).not.toThrow()
  })

  test('the list of mounts is read with what is escaped in it', () => {
    const points = mountPointsIn(
      '36 35 98:0 /a /data/my\\040ledgers/tab\\011\\134x rw,noatime master:1 - ext4 /dev/root rw\n' +
        '37 36 98:0 / /data/größe rw - ext4 /dev/root rw\n',
    )
    expect([...points]).toEqual(expect.arrayContaining(['/data/my ledgers/tab\t\\x', '/data/größe']))
  })
})

test('the file system of a file is that of its innermost mount', () => {
  const mountinfo =
    '21 1 8:1 / / rw - ext4 /dev/root rw\n' +
    '36 21 98:0 / /data rw,noatime shared:1 master:2 - nfs4 server:/x rw\n' +
    '37 36 98:0 / /data/my\\040ledgers rw - tmpfs none rw\n'
  const types = ['/', '/database/x', '/data', '/data/x', '/data/my ledgers/x'].map((path) =>
    fileSystemOf(path, mountinfo),
  )
  expect(types).toEqual(['ext4', 'ext4', 'nfs4', 'nfs4', 'tmpfs'])
  expect(fileSystemOf('/data', '')).toBeUndefined()
})

test('a disk that is too full for so many sends is told with what they need', () => {
  const left = (bytes: number) => () => ({ bavail: bytes / 1000, bsize: 1000, blocks: 9e9 })
  expect(() => checkRoom('/x', 'invites.ledger', 800, left(7e6))).not.toThrow()
  const error = thrownBy(() => checkRoom('/x', 'invites.ledger', 800, left(6e6)))
  expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
  expect(error.message).toContain(
    'invites.ledger: its disk has 6.0 MB left, and the record of 800 sends may need 6.6 MB',
  )
  expect(() => checkRoom('/x', 'x', 1, left(30_000))).not.toThrow()
})

test('a system that does not tell the room of a disk refuses nothing', () => {
  expect(freeBytesAt('/x', () => ({ bavail: 0, bsize: 512, blocks: 0 }))).toBeUndefined()
  expect(() => checkRoom('/not/there', 'x', 1e9)).not.toThrow()
})

test('better-sqlite3 is to be installed in the way that this package was installed', () => {
  const folder = ownFolder()
  writeFileSync(join(folder, 'package.json'), '{}')
  const file = 'node_modules/certify-sdk/dist/x.cjs'
  const commands = ['/usr/local/lib', folder, '/home/ada/.npm/_npx/1f2e', ''].map((root) =>
    installCommand('install', 'better-sqlite3', join(root, root === '' ? '/repository/src/x.ts' : file)),
  )
  expect(commands).toEqual([
    'npm install --global better-sqlite3',
    'npm install better-sqlite3',
    'npx --package certify-sdk --package better-sqlite3 certify …',
    'npm install better-sqlite3',
  ])
  expect(installCommand('rebuild', 'x', join('/usr/lib', file))).toBe('npm rebuild --global x')
})

describe('one file is open through one SQLite in a process', () => {
  test.skipIf(!DRIVERS.includes('better-sqlite3'))(
    'a second copy of better-sqlite3 is refused, until the first has closed it',
    async () => {
      const path = join(ownFolder(), 'invites.ledger')
      const [first, copy] = [loadDriver('better-sqlite3'), copyOfPackage()]
      const open = openFile(first, path)
      const error = thrownBy(() => openFile(copy, path))
      expect([error.code, error.message]).toEqual(['LEDGER_UNUSABLE', expect.stringContaining('another SQLite')])
      const again = openFile(first, path)
      open.close()
      expect(() => openFile(copy, path)).toThrow('another SQLite')
      again.close()
      const last = openFile(copy, path)
      expect(() => openFile(first, path)).toThrow('another SQLite')
      last.close()
    },
  )

  test.skipIf(DRIVERS.length < 2)('so is the other driver, which this runtime has', async () => {
    const path = join(ownFolder(), 'invites.ledger')
    await freshLedger(standingClock(), { path, driver: DRIVERS[0] as 'node:sqlite' })
    expect((await failureOf(openLedger({ path, driver: DRIVERS[1] }))).message).toContain('another SQLite')
  })

  test('what could not be opened is not registered', () => {
    const path = join(ownFolder(), 'missing', 'invites.ledger')
    const broken: Driver = { name: 'node:sqlite', library: {}, open: () => fail() }
    expect(() => openFile(broken, path)).toThrow('does not open')
    openFile(loadDriver(), path).close()
  })

  test('copies of this package share the register, which is found by its name', () => {
    const path = join(ownFolder(), 'invites.ledger')
    const { library, open } = loadDriver()
    open(path).close()
    const release = register(library, path, path)
    const shared = (globalThis as Record<symbol, unknown>)[Symbol.for('certify-sdk/ledger/open-files')]
    expect((shared as Map<string, unknown>).size).toBe(1)
    release()
    expect((shared as Map<string, unknown>).size).toBe(0)
  })
})

describe('a file system without locks is named as such', () => {
  const path = () => join(ownFolder(), 'invites.ledger')

  test.each([
    ['node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 5 }],
    ['better-sqlite3', { code: 'SQLITE_BUSY' }],
  ] as const)('where a new file cannot be locked, as %s says it', (name, words) => {
    const driver: Driver = { name, library: {}, open: () => databaseThatFails(words) }
    expect(hasLocks(driver, path())).toBe(false)
  })

  test.each(DRIVERS)('and not where %s can lock a new file', (name) => {
    expect(hasLocks(loadDriver(name), path())).toBe(true)
  })
})

function fail(): never {
  throw new Error('it does not open')
}

function databaseThatFails(words: object): Database {
  return {
    exec: () => {
      throw Object.assign(new Error('database is locked'), words)
    },
    prepare: fail,
    close: () => {},
  }
}

/* Another copy of the package is another copy of SQLite. */
function copyOfPackage(): Driver {
  const modules = join(ownFolder(), 'node_modules')
  mkdirSync(modules)
  const require = createRequire(createRequire(import.meta.url).resolve('better-sqlite3'))
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
    const source = dirname(require.resolve(`${name}/package.json`))
    cpSync(source, join(modules, name), {
      recursive: true,
      filter: (file) => !/\/(deps|src|obj|obj\.target)$/.test(file),
    })
  }
  const library = createRequire(join(modules, 'x.js'))('better-sqlite3') as new (path: string) => Database
  return { name: 'better-sqlite3', library, open: (path) => new library(path) }
}
