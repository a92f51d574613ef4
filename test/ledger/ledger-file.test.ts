import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { openLedger } from '../../src/ledger/index.ts'
import { ownFolder } from '../src/ledger/setting.ts'

const script = join(import.meta.dirname, 'ledger-process.mjs')

interface Answer {
  readonly value?: unknown
  readonly code?: string
  readonly message?: string
}

/* A process with a ledger. `within`: a wrapper command, such as `unshare`. */
function start(within: readonly string[] = []) {
  const [command, ...args] = [...within, process.execPath, script]
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ask = async (act: string, given?: unknown): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify([act, given])}\n`)
    const { value } = (await lines.next()) as { value: string }
    return JSON.parse(value) as Answer
  }
  return { child, lines, ask }
}

/* Needs Linux, and permission to create mounts. */
const OWN_MOUNTS = ['unshare', '--map-root-user', '--mount']
const canMount = spawnSync('unshare', [...OWN_MOUNTS.slice(1), 'mount', '--bind', '/tmp', '/mnt']).status === 0

test.skipIf(!canMount)('a ledger mounted as a single file is refused, one in a mounted folder works', async () => {
  const folder = ownFolder()
  for (const name of ['kept', 'in a container', 'other']) mkdirSync(join(folder, name))
  const [kept, mounted] = [join(folder, 'kept/invites.ledger'), join(folder, 'in a container/invites.ledger')]
  await (await openLedger(kept)).close()
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
  const outside = await openLedger(kept)
  expect((await outside.check()).records).toMatchObject({ sending: 1 })
  await outside.close()
})

const canCompile = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

test.skipIf(!canCompile)('a file system without locks is reported as one (needs a C compiler)', async () => {
  const folder = ownFolder()
  const [source, library] = [join(import.meta.dirname, 'no-locks.c'), join(folder, 'no-locks.so')]
  execFileSync('cc', ['-shared', '-fPIC', '-DERR=EOPNOTSUPP', '-o', library, source, '-ldl'])
  /* A relative path, because a path in LD_PRELOAD cannot have spaces. */
  const { ask } = start(['env', '-C', folder, 'LD_PRELOAD=./no-locks.so'])
  expect(await ask('open', { path: join(folder, 'invites.ledger'), busyTimeoutMs: 0 })).toEqual({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('it cannot be locked (SQLite error'),
  })
  expect(readdirSync(folder).toSorted()).toEqual(['invites.ledger', 'no-locks.so'])
})

test('a process killed while it opens, writes or closes a ledger leaves one that opens, with everything it reported', async () => {
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
  const ledger = await openLedger(path)
  onTestFinished(() => ledger.close())
  for await (const { input } of ledger.list()) reported.delete(input.candidate.email.replace('@example.com', ''))
  expect([...reported]).toEqual([])
})

/* Each name once: what a process got must not have been given to another one. */
function givenTwice(given: readonly unknown[]): readonly unknown[] {
  const all = given.flatMap((names) => names as readonly string[])
  return all.filter((name, at) => all.indexOf(name) !== at)
}

test.each(['copyFile', 'readFile', 'stream', 'fs.cp'])(
  'processes that copy the ledger while they use it never get the same candidate, and it stays whole: %s',
  async (means) => {
    const folder = ownFolder()
    mkdirSync(join(folder, 'kept'))
    const path = join(folder, 'kept/invites.ledger')
    await (await openLedger(path)).close()
    const names = Array.from({ length: 300 }, (_each, index) => `n${index}`)
    const processes = [start(), start(), start()]
    const answers = await Promise.all(processes.map(({ ask }) => ask('race', { path, means, names })))
    expect(answers.map(({ code }) => code)).toEqual([undefined, undefined, undefined])
    expect(givenTwice(answers.map(({ value }) => value))).toEqual([])
    const ledger = await openLedger(path)
    onTestFinished(() => ledger.close())
    expect(await ledger.check()).toMatchObject({ problems: [], records: { sending: 300 } })
  },
)

test('two copies of SQLite in two threads of a process never get the same candidate', async () => {
  const folder = ownFolder()
  const repository = join(import.meta.dirname, '../..')
  const path = join(folder, 'invites.ledger')
  await (await openLedger(path)).close()
  const given = await Promise.all(
    ['one', 'other'].map(async (name) => {
      const modules = join(folder, name, 'node_modules')
      for (const file of ['dist', 'package.json'])
        cpSync(join(repository, file), join(modules, 'certify-sdk', file), { recursive: true })
      for (const library of ['@photostructure/sqlite', 'node-gyp-build'])
        cpSync(join(repository, 'node_modules', library), join(modules, library), { recursive: true })
      const program = join(folder, name, 'thread.mjs')
      copyFileSync(join(import.meta.dirname, 'ledger-thread.mjs'), program)
      const worker = new Worker(program, { workerData: { path } })
      const [names] = (await once(worker, 'message')) as [readonly string[]]
      return names
    }),
  )
  expect(givenTwice(given)).toEqual([])
  const ledger = await openLedger(path)
  onTestFinished(() => ledger.close())
  expect(await ledger.check()).toMatchObject({ problems: [], records: { sending: 300 } })
})

test.skipIf(!canMount)('a full disk is reported as one, also while a create is recorded (needs unshare)', async () => {
  const folder = ownFolder()
  const mounting = 'mount -t tmpfs -o size=400k none "$1" && shift && exec "$@"'
  const { ask } = start([...OWN_MOUNTS, 'sh', '-c', mounting, 'sh', folder])
  expect(await ask('open', { path: join(folder, 'invites.ledger') })).toEqual({})
  let answer: Answer = {}
  for (let index = 0; index < 1000 && answer.code === undefined; index += 1) answer = await ask('claim', `n${index}`)
  expect(answer).toMatchObject({ code: 'LEDGER_UNUSABLE', message: expect.stringContaining('the disk is full') })
})
