import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openLedger } from '../../src/ledger/index.ts'

const script = join(import.meta.dirname, '../ledger/namespace-process.mjs')

const can = (...command: readonly [string, ...string[]]) => spawnSync(command[0], command.slice(1)).status === 0

/* How this machine makes namespaces: as root, or as a user who is root in a user namespace; `undefined`: not at all. */
const asRoot = [[], ['--user', '--map-root-user']].find((flags) =>
  can('unshare', ...flags, '--pid', '--fork', '--mount-proc', 'true'),
)
const unshare = (...flags: readonly string[]) => ['unshare', ...(asRoot ?? []), ...flags] as const
const OWN_PIDS = unshare('--pid', '--fork', '--kill-child', '--mount-proc')
const OWN_PIDS_OUTER_PROC = unshare('--pid', '--fork', '--kill-child')
const OWN_TIME = unshare('--time', '--boottime', '100000', '--fork', '--kill-child')
const HERE: readonly string[] = []
const canSetPid = asRoot !== undefined && can(...OWN_PIDS, 'sh', '-c', 'echo 99 > /proc/sys/kernel/ns_last_pid')
const canShiftTime = asRoot !== undefined && can(...OWN_TIME, 'true')

interface Said {
  readonly kind: string
  readonly pid: number
  readonly namespace: string
  readonly first?: number
}

/* A ledger, and processes on it, each in the namespaces that it is started in. */
function setting() {
  const folder = mkdtempSync(join(tmpdir(), 'certify-namespaces-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'invites.ledger')
  const start = async (within: readonly string[], role: string) => {
    const [command, ...argv] = [...within, process.execPath, script, role, path]
    const child = spawn(command, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const end = async () => {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    return { said: JSON.parse(line) as Said, end }
  }
  return { path, start }
}

/* Tests need what the machine allows: PID namespaces, the choice of a pid, time namespaces. The others are skipped. */
describe.skipIf(asRoot === undefined)('in PID namespaces, as containers have them (needs unshare)', () => {
  test.each([
    ['in the namespace around', HERE, OWN_PIDS],
    ['in a namespace beside it', OWN_PIDS, OWN_PIDS],
    ['where /proc is of the namespace around', HERE, OWN_PIDS_OUTER_PROC],
  ])('a process that sends %s is waited for, not called unknown', async (_where, sending, looking) => {
    const { start } = setting()
    const sender = await start(sending, 'send')
    const { said } = await start(looking, 'look')
    expect(said.kind).toBe('in-flight')
    await sender.end()
  })

  test('a process that ended in another namespace is waited for until its lease ends, then its send is unknown', async () => {
    const { path, start } = setting()
    const { end } = await start(OWN_PIDS, 'send')
    await end()
    let passedMs = 0
    const clock = {
      now: () => Date.now() + passedMs,
      startTimer: () => () => {},
    }
    const ledger = await openLedger({ path, clock })
    onTestFinished(() => ledger.close())
    expect((await ledger.find('sent'))?.state).toBe('sending')
    passedMs = 600_000
    expect((await ledger.find('sent'))?.state).toBe('unknown')
  })

  test('what pid 1 has left is unknown to the pid 1 of the next start where both have one namespace, else waited for', async () => {
    const { start } = setting()
    const sender = await start(OWN_PIDS, 'send')
    await sender.end()
    const { said } = await start(OWN_PIDS, 'look')
    expect([sender.said.pid, said.pid]).toEqual([1, 1])
    /* The kernel may give the next namespace the name of one that has ended: with it ended all its processes. */
    expect(said.kind).toBe(said.namespace === sender.said.namespace ? 'unknown' : 'in-flight')
  })

  describe.skipIf(!canSetPid)('with pids that are chosen (needs /proc/sys/kernel/ns_last_pid)', () => {
    test('a process that sends under a pid that nobody has here is waited for, not called unknown', async () => {
      const { start } = setting()
      const sender = await start(OWN_PIDS, 'far')
      const { said } = await start(HERE, 'look')
      expect(said.kind).toBe('in-flight')
      await sender.end()
    })

    test('a process that has the pid of one that ended does not take it for itself', async () => {
      const { said } = await setting().start(OWN_PIDS, 'reuse')
      expect(said.pid).toBe(said.first)
      expect(said.kind).toBe('unknown')
    })

    test('whoever sees the /proc of another namespace takes nobody for gone by it', async () => {
      expect((await setting().start(OWN_PIDS_OUTER_PROC, 'outer')).said.kind).toBe('in-flight')
    })
  })

  test.skipIf(!canShiftTime)(
    'a process that sends is not taken for gone from within a time namespace, where its start is another (needs unshare --time)',
    async () => {
      const { start } = setting()
      const sender = await start(HERE, 'send')
      expect((await start(OWN_TIME, 'look')).said.kind).toBe('in-flight')
      await sender.end()
      expect((await start(OWN_TIME, 'look')).said.kind).toBe('in-flight')
    },
  )
})
