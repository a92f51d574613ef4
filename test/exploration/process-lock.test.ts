import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { type LockSystem, ProcessLock } from '../../src/ledger/process-lock.ts'

/** What is explored: threads that take the lock and give it back. */
interface Scenario {
  readonly threads: number
  readonly rounds: number
  /** How many threads end somewhere. */
  readonly ends: number
  /** Where a thread that waits looks for what others left behind. */
  readonly where?: 'everywhere'
}

const two: Scenario = { threads: 2, rounds: 2, ends: 1, where: 'everywhere' }

test.each([
  ['two threads, one ends', two],
  ['three threads', { threads: 3, rounds: 1, ends: 0 }],
])('in every order of file operations one thread at a time has the lock: %s', (_what, scenario) => {
  const { violation, states } = explore(scenario)
  expect(violation).toBeUndefined()
  expect(states).toBeGreaterThan(4000)
})

test.each<[string, Fault]>([
  ['a lock is taken from a thread that has not ended', ({ name }) => ({ isDead: (owner) => !owner.startsWith(name) })],
  ['an empty folder counts as the lock', () => ({ createFile: () => {}, exists: () => true })],
])('the exploration finds the fault if %s', (_what, fault) => {
  expect(explore(two, fault).violation).toContain('both')
})

/** What is wrong in the system of a thread. */
type Fault = (thread: Thread) => Partial<LockSystem>

const none: Fault = () => ({})

/** A thread: it replays what it has seen, does one more operation, and stops there. */
interface Thread {
  readonly name: string
  readonly seen: readonly string[]
  readonly hasEnded: boolean
  readonly isInside: boolean
}

/** Everything at one moment. Immutable. */
interface Moment {
  /** Each path, with what it is. */
  readonly files: ReadonlyMap<string, 'file' | 'folder'>
  readonly threads: readonly Thread[]
  readonly endsLeft: number
}

/** Every order of the operations of the threads. */
function explore(scenario: Scenario, fault: Fault = none) {
  const threads = Array.from({ length: scenario.threads }, (_each, at): Thread => {
    return { name: 'abc'.charAt(at), seen: [], hasEnded: false, isInside: false }
  })
  const open: Moment[] = [{ files: new Map(), threads, endsLeft: scenario.ends }]
  const known = new Set<string>()
  for (let moment = open.pop(); moment !== undefined; moment = open.pop()) {
    const inside = moment.threads.filter(({ isInside, hasEnded }) => isInside && !hasEnded)
    if (inside.length > 1)
      return { violation: `both ${inside.map(({ name }) => name).join(' and ')}`, states: known.size }
    const next = moment.threads.flatMap((thread) => stepsOf(moment, thread, scenario, fault))
    if (next.length === 0 && !canBeTaken(moment)) return { violation: 'nobody can take it', states: known.size }
    for (const each of next) {
      const key = JSON.stringify([[...each.files].toSorted(([one], [other]) => (one < other ? -1 : 1)), each.threads])
      if (!known.has(key)) open.push(each)
      known.add(key)
    }
  }
  return { violation: undefined, states: known.size }
}

/* What can happen next: the thread does one operation, or it ends. */
function stepsOf(moment: Moment, thread: Thread, scenario: Scenario, fault: Fault): readonly Moment[] {
  if (thread.hasEnded) return []
  const replaced = (files: Moment['files'], by: Thread, endsLeft = moment.endsLeft): Moment => ({
    files,
    threads: moment.threads.map((each) => (each === thread ? by : each)),
    endsLeft,
  })
  const files = new Map(moment.files)
  const done = step(files, moment, thread, scenario, fault)
  if (done === undefined) return []
  return moment.endsLeft === 0
    ? [replaced(files, done)]
    : [replaced(files, done), replaced(moment.files, { ...thread, hasEnded: true }, moment.endsLeft - 1)]
}

/* `undefined`: the thread has nothing left to do. */
function step(
  files: Map<string, string>,
  moment: Moment,
  thread: Thread,
  scenario: Scenario,
  fault: Fault,
): Thread | undefined {
  const seen = [...thread.seen]
  let [at, owners, isInside] = [0, 0, thread.isInside]
  /* An operation that was done before has the result that it had. After the new one nothing is done any more. */
  const once = <Result>(work: () => Result): Result => {
    if (at === thread.seen.length && seen.length === at) seen.push(JSON.stringify(resultOf(work)))
    if (at >= thread.seen.length) throw new Error('stopped')
    const before = seen[at] ?? ''
    at += 1
    const { value, code } = JSON.parse(before) as { readonly value: Result; readonly code?: string }
    if (code !== undefined) throw Object.assign(new Error(code), { code })
    return value
  }
  const real = { ...simulated(files), newOwner: () => '', isDead: deadIn(moment), ...fault(thread) }
  const system = Object.fromEntries(
    Object.entries(real).map(([name, work]) => [
      name,
      (...args: never[]) => once(() => (work as (...all: never[]) => unknown)(...args)),
    ]),
  ) as unknown as LockSystem
  const lock = new ProcessLock('lock', {
    ...system,
    newOwner: () => {
      owners += 1
      return `${thread.name}${owners}`
    },
  })
  try {
    runRounds(lock, scenario, (inside) =>
      once(() => {
        isInside = inside
      }),
    )
  } catch (error) {
    /* Only a faulty lock fails. */
    if (seen.length === thread.seen.length && fault === none) throw error
  }
  return seen.length === thread.seen.length ? undefined : { ...thread, seen, isInside }
}

function runRounds(lock: ProcessLock, { rounds, where }: Scenario, enter: (isInside: boolean) => void): void {
  for (let round = 0; round < rounds; round += 1) {
    let isTaken = false
    for (let tries = 0; tries < 2 && !isTaken; tries += 1) {
      isTaken = lock.tryTake()
      if (!isTaken) lock.removeDead(where)
    }
    if (!isTaken) return
    enter(true)
    enter(false)
    lock.give()
  }
}

function resultOf<Result>(work: () => Result): { readonly value?: Result; readonly code?: string } {
  try {
    return { value: work() }
  } catch (error) {
    return { code: (error as { readonly code: string }).code }
  }
}

const deadIn =
  ({ threads }: Moment) =>
  (owner: string): boolean =>
    threads.some(({ name, hasEnded }) => hasEnded && owner.startsWith(name))

/* Every thread has stopped: a new one must be able to take the lock. */
function canBeTaken(moment: Moment): boolean {
  const files = new Map(moment.files)
  const lock = new ProcessLock('lock', { ...simulated(files), newOwner: () => 'new', isDead: deadIn(moment) })
  lock.removeDead('everywhere')
  return lock.tryTake()
}

/* The file operations that the lock uses, as POSIX has them. */
function simulated(files: Map<string, string>): Omit<LockSystem, 'newOwner' | 'isDead'> {
  const fail = (code: string): never => {
    throw Object.assign(new Error(code), { code })
  }
  const within = (folder: string) => [...files.keys()].filter((path) => path.startsWith(`${folder}/`))
  return {
    makeFolder(path) {
      files.set('lock', 'folder')
      files.set(path, 'folder')
    },
    read: () => '',
    write() {},
    createFile(path) {
      if (!files.has(dirname(path))) fail('ENOENT')
      files.set(path, 'file')
    },
    rename(from, to) {
      if (!files.has(from)) fail('ENOENT')
      if (within(to).length > 0) fail('ENOTEMPTY')
      for (const path of [from, ...within(from)]) {
        files.set(to + path.slice(from.length), files.get(path) ?? '')
        files.delete(path)
      }
    },
    removeFile: (path) => void (files.delete(path) || fail('ENOENT')),
    removeFolder(path) {
      if (within(path).length > 0) fail('ENOTEMPTY')
      if (!files.delete(path)) fail('ENOENT')
    },
    list: (path) => (files.has(path) ? namesIn(within(path), path) : fail('ENOENT')),
    exists: (path) => files.has(path),
  }
}

function namesIn(paths: readonly string[], folder: string): readonly string[] {
  return [...new Set(paths.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))]
}
