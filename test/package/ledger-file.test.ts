import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openLedger } from '../../src/ledger/index.ts'
import { repository } from './consumer.ts'

const script = join(import.meta.dirname, '../ledger/ledger-process.mjs')

interface Answer {
  readonly value?: unknown
  readonly code?: string
  readonly message?: string
}

/* A process with a ledger. `within`: a command that runs another, as in `unshare`. */
function start(within: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const [command, ...args] = [...within, process.execPath, script]
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ask = async (act: string, given?: unknown): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify([act, given])}\n`)
    const { value } = (await lines.next()) as { value: string }
    return JSON.parse(value) as Answer
  }
  return { child, lines, ask }
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'certify-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/* It takes Linux, and the right to have mounts of one's own. */
const OWN_MOUNTS = ['unshare', '--map-root-user', '--mount']
const canMount = spawnSync('unshare', [...OWN_MOUNTS.slice(1), 'mount', '--bind', '/tmp', '/mnt']).status === 0

test.skipIf(!canMount)(
  'where unshare may mount: a ledger that is mounted as a single file is refused, one in a mounted folder is not',
  async () => {
    const folder = ownFolder()
    for (const name of ['kept', 'in a container', 'other']) mkdirSync(join(folder, name))
    const [kept, mounted] = [join(folder, 'kept/invites.ledger'), join(folder, 'in a container/invites.ledger')]
    await (await openLedger({ path: kept })).close()
    writeFileSync(mounted, '')
    const mounting = 'mount --bind "$1" "$2" && mount --bind "$3" "$4" && shift 4 && exec "$@"'
    const mounts = [kept, mounted, join(folder, 'kept'), join(folder, 'other')]
    const { ask } = start([...OWN_MOUNTS, 'sh', '-c', mounting, 'sh', ...mounts])
    expect(await ask('open', { path: mounted })).toEqual({
      code: 'LEDGER_UNUSABLE',
      message: expect.stringContaining(`${mounted}: it is mounted as a single file`),
    })
    expect(await ask('open', { path: join(folder, 'other/invites.ledger') })).toEqual({})
    expect(await ask('claim', 'ada')).toEqual({ value: 'claimed' })
    const outside = await openLedger({ path: kept })
    expect((await outside.check()).entries).toMatchObject({ sending: 1 })
    await outside.close()
  },
)

const canCompile = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

test.skipIf(!canCompile).each(['ENOLCK', 'EOPNOTSUPP'])(
  'where there is a C compiler, to take the locks away: a file system that says %s to a lock is named as one without',
  async (word) => {
    const folder = ownFolder()
    const [source, library] = [join(import.meta.dirname, '../ledger/no-locks.c'), join(folder, 'no-locks.so')]
    execFileSync('cc', ['-shared', '-fPIC', `-DERR=${word}`, '-o', library, source, '-ldl'])
    const { ask } = start([], { LD_PRELOAD: library })
    expect(await ask('open', { path: join(folder, 'invites.ledger'), busyTimeoutMs: 0 })).toEqual({
      code: 'LEDGER_UNUSABLE',
      message: expect.stringContaining('its file system has no locks'),
    })
    expect(readdirSync(folder).toSorted()).toEqual(['invites.ledger', 'no-locks.so'])
  },
)

test.skipIf(process.platform === 'win32')(
  'where the index of the log is removed in use, nobody is claimed twice: who had it open before stops',
  async () => {
    for (let round = 0; round < 3; round += 1) {
      const path = join(ownFolder(), 'invites.ledger')
      const [first, second] = [start(), start()]
      await first.ask('open', { path })
      await first.ask('claim', 'nobody')
      const names = Array.from({ length: 200 }, (_each, number) => `candidate-${number}`)
      const ofFirst = first.ask('claimAll', names)
      rmSync(`${path}-shm`)
      expect(await second.ask('open', { path })).toEqual({})
      const claimed = [await ofFirst, await second.ask('claimAll', names)].flatMap(({ value }) => value as string[])
      expect(new Set(claimed).size).toBe(claimed.length)
      expect(await first.ask('claim', 'another')).toMatchObject({ code: 'LEDGER_UNUSABLE' })
      for (const { ask } of [first, second]) await ask('close')
      const ledger = await openLedger({ path })
      expect(await ledger.check()).toMatchObject({ problems: [], entries: { sending: 201 } })
      await ledger.close()
    }
  },
)

test('a process that is killed while it opens, writes or closes a ledger leaves one that opens, with all that it reported', async () => {
  const path = join(ownFolder(), 'invites.ledger')
  const reported = new Set<string>()
  for (let round = 0; round < 12; round += 1) {
    const { child, lines } = start()
    const closed = once(child, 'close')
    child.stdin.write(`${JSON.stringify(['live', { path, name: `life-${round}` }])}\n`)
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      const { claimed, ...rest } = JSON.parse(line.value) as { claimed: string }
      expect(rest).toEqual({})
      reported.add(claimed)
      if (claimed === `life-${round}-0-a`) setTimeout(() => child.kill('SIGKILL'), Math.random() * 100)
    }
    await closed
  }
  const ledger = await openLedger({ path })
  onTestFinished(() => ledger.close())
  for await (const { input } of ledger.list()) reported.delete(input.candidate.email.replace('@example.com', ''))
  expect([...reported]).toEqual([])
})

test.each([
  ['removed', (log: string) => rmSync(log)],
  ['cut', (log: string) => truncateSync(log, statSync(log).size - 1)],
])('where the log of a process that was killed is %s, nobody is claimed by the next one', async (_what, lose) => {
  const path = join(ownFolder(), 'invites.ledger')
  const names = Array.from({ length: 65 }, (_each, number) => `candidate-${number}`)
  const [first, second] = [start(), start()]
  await first.ask('open', { path })
  expect(await first.ask('claimAll', names)).toEqual({ value: names })
  const closed = once(first.child, 'close')
  first.child.kill('SIGKILL')
  await closed
  lose(`${path}-wal`)
  expect(await second.ask('open', { path })).toEqual({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('the record of the last sends is missing'),
  })
})

/* Only where the tests have that package: on a Node.js without its own SQLite. */
test.skipIf(!existsSync(join(repository, 'node_modules/better-sqlite3')))(
  'two copies of this package in one process share a copy of better-sqlite3, and refuse to use two on one file',
  () => {
    const folder = ownFolder()
    for (const name of ['one', 'two', 'sharing']) {
      cpSync(join(inject('consumer'), 'node_modules/certify-sdk'), join(folder, name, 'node_modules/certify-sdk'), {
        recursive: true,
      })
    }
    for (const name of ['one', 'two']) copySqlite(join(folder, name, 'node_modules'))
    cpSync(join(folder, 'one/node_modules/certify-sdk'), join(folder, 'one/nested/node_modules/certify-sdk'), {
      recursive: true,
    })
    writeFileSync(
      join(folder, 'index.cjs'),
      `const [one, two, nested] = ['one', 'two', 'one/nested'].map((name) =>
       require('./' + name + '/node_modules/certify-sdk/dist/ledger/index.cjs'))
     const options = { path: 'invites.ledger', driver: 'better-sqlite3' }
     one.openLedger(options).then(async (ledger) => {
       const { message } = await two.openLedger(options).catch((error) => error)
       await (await nested.openLedger(options)).close()
       await ledger.close()
       await (await two.openLedger(options)).close()
       console.log(message)
     })`,
    )
    const told = execFileSync(process.execPath, ['index.cjs'], { cwd: folder, encoding: 'utf8' })
    expect(told).toContain('another SQLite of this process has it open')
  },
)

function copySqlite(modules: string): void {
  const require = createRequire(createRequire(import.meta.url).resolve('better-sqlite3'))
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
    const source = dirname(require.resolve(`${name}/package.json`))
    cpSync(source, join(modules, name), { recursive: true, filter: (file) => !/\/(deps|src|obj)$/.test(file) })
  }
}
