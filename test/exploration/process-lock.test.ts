import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { type LockSystem, ProcessLock } from '../../src/ledger/process-lock.ts'

/** What is explored: threads that take the lock and give it back. */
interface Scenario {
  readonly threads: number
  readonly rounds: number
  /** How many threads end somewhere. */
  readonly ends: number
  /** How many times a thread is stopped, so that others think that it has ended, and goes on later. */
  readonly stops?: number
  /** Whether it does not look if it still has the lock before it writes. */
  readonly isBlind?: true
  /** How many renames report a failure: before they have moved the folder, or after it. */
  readonly failures?: number
  /** Where a thread that waits looks for what others left behind. */
  readonly where?: 'everywhere'
}

const two: Scenario = { threads: 2, rounds: 2, ends: 1, where: 'everywhere' }
const blind: Scenario = { threads: 2, rounds: 1, ends: 0, stops: 1, isBlind: true }

/** What is wrong in the system of a thread. */
type Fault = (thread: Thread) => Partial<LockSystem>

const none: Fault = () => ({})
const takesAny: Fault = ({ name }) => ({ isDead: (owner) => owner !== name })

test.each<[string, Scenario]>([
  ['two threads, one ends', two],
  ['three threads', { threads: 3, rounds: 1, ends: 0 }],
  ['two threads, and a rename that fails, or reports that it did', { threads: 2, rounds: 2, ends: 0, failures: 1 }],
  ['two threads, one ends, and a rename fails', { threads: 2, rounds: 2, ends: 1, failures: 1 }],
  ['two threads, one is stopped for so long that it loses the lock', { threads: 2, rounds: 2, ends: 0, stops: 1 }],
])('in every order of file operations one thread writes: %s', (_what, scenario) => {
  const { violation, states } = explore(scenario)
  expect(violation).toBeUndefined()
  expect(states).toBeGreaterThan(4000)
})

test.each<[string, Fault, Scenario, string]>([
  ['a thread that was stopped does not look before it writes', none, blind, 'wrote'],
  ['a lock is taken from a thread that works', takesAny, { ...blind, stops: 0 }, 'wrote'],
  ['an empty folder counts as the lock', () => ({ createFile: () => {}, exists: () => true }), two, 'wrote'],
])('the exploration finds the fault if %s', (_what, fault, scenario, violation) => {
  expect(explore(scenario, fault).violation).toContain(violation)
})

/** A thread: it replays what it has seen, does one more operation, and stops there. */
interface Thread {
  readonly name: string
  readonly seen: readonly string[]
  readonly hasEnded: boolean
  readonly isInside: boolean
  /** Others think that it has ended. */
  readonly isStopped: boolean
  /** Another thread has removed its name since it took the lock. */
  readonly hasLost: boolean
  /** It has written nevertheless. */
  readonly wroteLost: boolean
}

/** Everything at one moment. Immutable. */
interface Moment {
  /** Each path, with what it is. */
  readonly files: ReadonlyMap<string, 'file' | 'folder'>
  readonly threads: readonly Thread[]
  readonly endsLeft: number
  readonly stopsLeft: number
  readonly failuresLeft: number
}

/** Every order of the operations of the threads. */
function explore(scenario: Scenario, fault: Fault = none) {
  const threads = Array.from({ length: scenario.threads }, (_each, at): Thread => {
    const no = { hasEnded: false, isInside: false, isStopped: false, hasLost: false, wroteLost: false }
    return { name: 'abc'.charAt(at), seen: [], ...no }
  })
  const { ends, stops = 0, failures = 0 } = scenario
  const open: Moment[] = [{ files: new Map(), threads, endsLeft: ends, stopsLeft: stops, failuresLeft: failures }]
  const known = new Set<string>()
  for (let moment = open.pop(); moment !== undefined; moment = open.pop()) {
    const violation = violationIn(moment)
    if (violation !== undefined) return { violation, states: known.size }
    const next = moment.threads.flatMap((thread) => stepsOf(moment, thread, scenario, fault))
    if (next.length === 0 && !canBeTaken(moment)) return { violation: 'nobody can take it', states: known.size }
    for (const each of next) {
      const files = [...each.files].toSorted(([one], [other]) => (one < other ? -1 : 1))
      const key = JSON.stringify({ ...each, files })
      if (!known.has(key)) open.push(each)
      known.add(key)
    }
  }
  return { violation: undefined, states: known.size }
}

function violationIn({ threads }: Moment): string | undefined {
  const inside = threads.filter(({ isInside, hasEnded, hasLost }) => isInside && !hasEnded && !hasLost)
  if (inside.length > 1) return `both ${inside.map(({ name }) => name).join(' and ')} have it`
  const wrote = threads.find(({ wroteLost }) => wroteLost)
  return wrote && `${wrote.name} wrote although it had lost it`
}

/* What can happen next: the thread does one operation, it ends, it is stopped, or it goes on. */
function stepsOf(moment: Moment, thread: Thread, scenario: Scenario, fault: Fault): readonly Moment[] {
  if (thread.hasEnded) return []
  const changed = (by: Partial<Thread>, left: Partial<Moment> = {}): Moment => ({
    ...moment,
    threads: moment.threads.map((each) => (each === thread ? { ...each, ...by } : each)),
    ...left,
  })
  if (thread.isStopped) return [changed({ isStopped: false })]
  const done = step(moment, thread, scenario, fault)
  if (done === undefined) return []
  const next = [done]
  if (moment.endsLeft > 0) next.push(changed({ hasEnded: true }, { endsLeft: moment.endsLeft - 1 }))
  if (moment.stopsLeft > 0) next.push(changed({ isStopped: true }, { stopsLeft: moment.stopsLeft - 1 }))
  if (moment.failuresLeft > 0) {
    for (const isMoved of [false, true]) {
      let hasFailed = false as boolean
      const failed = step(moment, thread, scenario, fault, (rename) => (from, to) => {
        hasFailed = true
        if (isMoved) rename(from, to)
        fail(isMoved ? 'ENOENT' : 'EACCES')
      })
      if (hasFailed && failed !== undefined) next.push({ ...failed, failuresLeft: moment.failuresLeft - 1 })
    }
  }
  return next
}

/* `undefined`: the thread has nothing left to do. */
function step(
  moment: Moment,
  thread: Thread,
  scenario: Scenario,
  fault: Fault,
  failing = (rename: LockSystem['rename']) => rename,
): Moment | undefined {
  const files = new Map(moment.files)
  const seen = [...thread.seen]
  let [at, isInside, isNew, isWriting, hasWritten] = [0, thread.isInside, false, false, false]
  /* An operation that was done before has the result that it had. After the new one nothing is done any more. */
  const once = <Result>(work: () => Result): Result => {
    if (at === thread.seen.length && seen.length === at) {
      isNew = true
      const result = resultOf(work)
      hasWritten = isWriting && result.value === true
      seen.push(JSON.stringify(result))
    }
    if (at >= thread.seen.length) throw new Error('stopped')
    const before = seen[at] ?? ''
    at += 1
    const { value, code } = JSON.parse(before) as { readonly value: Result; readonly code?: string }
    return code === undefined ? value : fail(code)
  }
  const disk = simulated(files)
  const real = { ...disk, rename: failing(disk.rename), isDead: deadIn(moment), ...fault(thread) }
  const system = Object.fromEntries(
    Object.entries(real).map(([name, work]) => [
      name,
      (...args: never[]) => once(() => (work as (...all: never[]) => unknown)(...args)),
    ]),
  ) as unknown as LockSystem
  const lock = new ProcessLock('lock', { ...system, owner: thread.name })
  /* The look and the commit after it count as one moment: the locks of SQLite are the second wall in between. */
  const write = () => {
    isWriting = true
    if (scenario.isBlind === true) once(() => true)
    else lock.isOwn()
    isWriting = false
  }
  try {
    runRounds(lock, scenario, write, (inside) =>
      once(() => {
        isInside = inside
      }),
    )
  } catch (error) {
    /* Only a faulty lock fails. */
    if (!isNew && fault === none && scenario.failures === undefined) throw error
  }
  if (!isNew) return undefined
  const threads = moment.threads
    .map((each) => (each === thread ? { ...each, seen, isInside, wroteLost: hasWritten && each.hasLost } : each))
    .map((each) => ({ ...each, hasLost: each.isInside && (each.hasLost || !files.has(`lock/held/${each.name}`)) }))
  return { ...moment, files, threads }
}

function runRounds(
  lock: ProcessLock,
  { rounds, where }: Scenario,
  write: () => void,
  enter: (isInside: boolean) => void,
): void {
  for (let round = 0; round < rounds; round += 1) {
    let isTaken = false
    for (let tries = 0; tries < 2 && !isTaken; tries += 1) {
      isTaken = triedTake(lock)
      if (!isTaken) lock.removeDead(where)
    }
    if (!isTaken) return
    enter(true)
    write()
    enter(false)
    for (let tries = 0; tries < 3 && !lock.tryGive(); tries += 1);
  }
}

function triedTake(lock: ProcessLock): boolean {
  try {
    return lock.tryTake()
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'EACCES') return false
    throw error
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
    threads.some(({ name, hasEnded, isStopped }) => name === owner && (hasEnded || isStopped))

/* Every thread has stopped: a new one must be able to take the lock. */
function canBeTaken(moment: Moment): boolean {
  const files = new Map(moment.files)
  const lock = new ProcessLock('lock', { ...simulated(files), owner: 'new', isDead: deadIn(moment) })
  lock.removeDead('everywhere')
  return lock.tryTake()
}

/* The file operations that the lock uses, as POSIX has them. */
function simulated(files: Map<string, string>): Omit<LockSystem, 'owner' | 'isDead'> {
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
    changedAt: () => 0,
    renew: () => {},
    later: () => {},
  }
}

function fail(code: string): never {
  throw Object.assign(new Error(code), { code })
}

function namesIn(paths: readonly string[], folder: string): readonly string[] {
  return [...new Set(paths.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))]
}
