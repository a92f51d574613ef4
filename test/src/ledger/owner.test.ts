import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isGone, newOwner } from '../../../src/ledger/sqlite/owner.ts'
import {
  currentProcess,
  type Process,
  type ProcessView,
  withoutProc,
} from '../../../src/ledger/sqlite/running-processes.ts'

/* A process with the pid 7, beside which another one runs with the pid 8. */
const self: Process = { machine: 'this start', namespace: 'pid:[1] time:[2]', pid: 7, started: 700 }
const starts = new Map([
  [7, 700],
  [8, 800],
])
const process7: ProcessView = {
  self,
  isRunning: (pid) => starts.has(pid),
  startOf: (pid) => starts.get(pid),
  precisionMs: 0,
}
const blind: ProcessView = {
  ...process7,
  self: { ...self, namespace: undefined, started: undefined },
  startOf: () => undefined,
}
const ended = { ...self, pid: 9, started: 900 }

test.each<[what: string, owner: unknown, isGone: boolean, from?: ProcessView]>([
  ['another ledger of this process', { id: 'other', ...self }, false],
  ['a process that runs', { ...self, pid: 8, started: 800 }, false],
  ['a process that ended', ended, true],
  ['one that had the pid of a process that runs', { ...self, pid: 8, started: 799 }, true],
  ['one that had this pid: pid 1 of a container is pid 1 again', { ...self, started: 699 }, true],
  ['a process of another namespace, whose pid nobody has here', { ...ended, namespace: 'pid:[3] time:[2]' }, false],
  ['a process for which time is another', { ...ended, namespace: 'pid:[1] time:[3]' }, false],
  ['a process of another start of a machine, or of another machine', { ...ended, machine: 'other' }, false],
  ['one whose namespace could not be read', { ...ended, namespace: undefined }, false],
  ['one of a machine that could not be read', { ...ended, machine: undefined }, false],
  ['one whose start could not be read, and whose pid somebody has', { ...self, pid: 8, started: undefined }, false],
  [
    'one that had this pid, seen by a process that cannot read its own namespace',
    { ...self, started: 1 },
    false,
    blind,
  ],
  ['an ended one, seen by a process that cannot read its own namespace', ended, false, blind],
  ['one of an earlier version', [hostname(), 9, 'uuid', 'this start'], false],
  ['one of an earlier version that wrote a time', [hostname(), 7, 'uuid', 1_893_456_000_000], false],
  ['nobody', null, false],
  ['no owner', 5, false],
])('%s: is gone: %#', (_what, owner, gone, from = process7) => {
  expect(isGone(JSON.stringify(owner), from)).toBe(gone)
})

test('what is no JSON is waited for', () => {
  expect([isGone('{', process7), isGone('', process7)]).toEqual([false, false])
})

test('two ledgers of one process are two owners, and neither takes the other for gone', () => {
  const [one, other] = [newOwner(), newOwner()]
  expect(one).not.toBe(other)
  expect([isGone(one), isGone(other)]).toEqual([false, false])
})

/* As on systems without /proc, of which the functions that it takes are everywhere. */
describe.each([
  ['on this system', currentProcess()],
  ['without /proc', withoutProc()],
])('%s', (_system, from) => {
  test('a process is gone when it has ended, and not before', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'spawn')
    const { pid = 0 } = child
    const owner = JSON.stringify({ ...from.self, pid, started: from.startOf(pid) })
    expect(isGone(owner, from)).toBe(false)
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(isGone(owner, from)).toBe(true)
  })

  test('an earlier process with this pid is gone', () => {
    const { started = 0 } = from.self
    const earlier = JSON.stringify({ ...from.self, started: started - 5000 })
    expect(isGone(earlier, from)).toBe(true)
  })
})

describe('without /proc', () => {
  const from = withoutProc()
  const { pid } = spawnSync(process.execPath, ['--version'])
  const gone = { ...from.self, pid }

  test.each([
    ['on this host since its last start', gone, true],
    ['on another host', { ...gone, machine: 'another' }, false],
    ['before its last start', { ...gone, bootedAt: (gone.bootedAt ?? 0) - 3_600_000 }, false],
    ['on a system that has /proc', { ...currentProcess().self, pid }, process.platform !== 'linux'],
  ])('of processes that ended %s it is known: %#', (_where, owner, known) => {
    expect(isGone(JSON.stringify(owner), from)).toBe(known)
  })

  test('the start of a process is the same for its threads', async () => {
    const source =
      "require('node:worker_threads').parentPort.postMessage(Number(process.hrtime.bigint()) / 1e6 - process.uptime() * 1000)"
    const [started] = (await once(new Worker(source, { eval: true }), 'message')) as [number]
    expect(Math.abs(started - (from.self.started ?? 0))).toBeLessThan(from.precisionMs)
  })
})

test.runIf(process.platform === 'linux')('a process may have any name: its start is found behind it', async () => {
  const code =
    "require('node:fs').writeFileSync('/proc/self/comm', 'a) S 1 (2 3'); console.log(); setInterval(() => {}, 1000)"
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const { pid = 0 } = child
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  expect(stat).toContain('(a) S 1 (2 3)')
  const started = Number(stat.replace('a) S 1 (2 3', '').split(' ')[21])
  expect(currentProcess().startOf(pid)).toBe(started)
  expect(started).toBeGreaterThanOrEqual(currentProcess().self.started ?? Number.NaN)
})
