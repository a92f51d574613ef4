import fs from 'node:fs'
import { join } from 'node:path'
import timers from 'node:timers'
import { type Clock, pause } from '../clock.ts'
import { giveToOwnerOf } from './owner.ts'
import { ledgerUnusable } from './rules/errors.ts'

/** What the lock needs of the file system and of the machine. A test explores every order of these calls. */
export interface LockSystem {
  readonly rename: (from: string, to: string) => void
  readonly makeFolder: (path: string) => void
  readonly createFile: (path: string) => void
  readonly removeFile: (path: string) => void
  readonly removeFolder: (path: string) => void
  readonly list: (path: string) => readonly string[]
  /** Throws if that cannot be seen. */
  readonly exists: (path: string) => boolean
  readonly read: (path: string) => string
  readonly write: (path: string, text: string) => void
  /** When a folder was moved or renewed, in Unix milliseconds; `undefined` if it is gone. */
  readonly changedAt: (folder: string) => number | undefined
  /** Changes that time to now. */
  readonly renew: (folder: string) => void
  /** A name for this thread that no other thread ever has. */
  readonly owner: string
  /** Whether there is proof that the thread of that name has ended, or that it lives; `undefined` if it cannot be seen. */
  readonly isDead: (owner: string) => boolean | undefined
  /** Does something in a moment, if the program still runs then. */
  readonly later: (work: () => void) => void
}

/**
 * An advisory lock on a file that a copy of the file cannot drop. SQLite's own locks are POSIX locks: they vanish when any
 * code of the process closes a descriptor of the file, as `fs.copyFile` does.
 *
 * It is a folder with the name of its owner in it, moved to one place: moving a folder onto one that is not empty fails. A
 * thread has one name for life, and its name in that place is its lock, whatever a rename has reported. Taking and giving back
 * are a rename each; creating a folder takes ten times as long.
 *
 * A waiter removes a name if there is proof that the thread has ended. An owner that cannot be seen, as in another container,
 * loses the lock after 30 seconds without a sign. While it works it gives one twice a second, so it loses the lock only while it
 * is stopped; and it looks whether the lock is still its own right before it commits.
 */
export class ProcessLock {
  readonly #folder: string
  readonly #held: string
  readonly #system: LockSystem
  readonly #own: string
  /* Its name in the one place. */
  readonly #ownInHeld: string
  #isPrepared = false
  /* Whether it is taken, or about to be. */
  #isUsed = false
  #isClosed = false
  #signAt = 0
  /* An owner that cannot be seen, with its last sign, and for how long this thread has waited without another one. */
  #unseen = { what: '', forMs: 0 }

  /** @param folder for the lock alone */
  constructor(folder: string, system: LockSystem) {
    this.#folder = folder
    this.#held = join(folder, 'held')
    this.#system = system
    this.#own = join(folder, `of-${system.owner}`)
    this.#ownInHeld = join(this.#held, system.owner)
  }

  /**
   * Waits until no other thread has the lock, and takes it. It waits longer for an owner that cannot be seen and gives no sign:
   * until the lock can be taken over. The time begins again with each word of {@link tell}.
   *
   * @param isWanted whether to go on waiting
   * @param onTold called when the other thread has told something
   * @throws CertifyError LEDGER_UNUSABLE that names what stands in the way. Give it back even then
   */
  async take(clock: Clock, timeoutMs: number, isWanted = () => true, onTold = () => {}): Promise<void> {
    this.#isUsed = true
    let told = ''
    for (let tries = 0, waitedMs = 0, goesOn = false; ; tries += 1) {
      try {
        if (this.tryTake()) break
        if (tries % TRIES_PER_LOOK === 0) {
          goesOn = this.removeDead()
          const words = this.#told()
          if (words !== '' && words !== told) {
            told = words
            waitedMs = 0
            onTold()
          }
        }
      } catch (error) {
        throw this.#unusable(error)
      }
      if ((waitedMs >= timeoutMs && !goesOn) || !isWanted()) throw this.#stillHeld()
      /* Long waits are rare, and their timers are late by about a millisecond each. */
      const waitMs = tries < 100 ? 1 : 5
      await pause(clock, waitMs)
      waitedMs += waitMs
      this.#unseen.forMs += waitMs
    }
    this.#unseen = { what: '', forMs: 0 }
    this.#signAt = performance.now()
  }

  /** Takes the lock unless another thread has it. */
  tryTake(): boolean {
    try {
      if (!this.#isPrepared) this.#prepare()
      this.#system.rename(this.#own, this.#held)
    } catch (error) {
      /* It could not be given back, or a file system reports a failure although it has moved the folder. */
      if (this.isOwn()) return true
      const { code } = error as { readonly code?: unknown }
      /* The folders were removed. */
      if (code === 'ENOENT') this.#isPrepared = false
      else if (code === 'ENOTDIR') this.#system.removeFile(this.#held)
      else if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
      return false
    }
    if (this.isOwn()) return true
    /* The name was removed: an empty folder is no lock. */
    this.#isPrepared = false
    return false
  }

  /** Whether this thread has the lock. @throws an error of the file system if that cannot be seen */
  isOwn(): boolean {
    return this.#system.exists(this.#ownInHeld)
  }

  /** Tells those who wait that this thread reads the whole file: longer words each time, and none when it has ended. */
  tell(words: string): void {
    attempt(() => this.#system.write(this.#ownInHeld, words))
    this.renew()
  }

  /** To be called again and again while this thread has the lock and works. */
  renew(): void {
    if (performance.now() - this.#signAt < SIGN_MS) return
    this.#signAt = performance.now()
    attempt(() => this.#system.renew(this.#held))
  }

  /** @throws CertifyError LEDGER_UNUSABLE if this thread has lost the lock: it must not write; or as {@link isOwn} */
  checkOwn(): void {
    if (this.isOwn()) return
    throw ledgerUnusable(
      `its lock ${this.#held} was removed or taken over before the commit, so nothing was written`,
      'Try again. It can be taken over if this process is stopped for 30 seconds, and another one cannot see it.',
    )
  }

  /** Gives the lock back. The commit is on the disk, so a failure is no error: it is tried again while this thread is idle. */
  give(): void {
    this.#isUsed = false
    if (this.tryGive()) {
      if (this.#isClosed) this.#removeOwn()
    } else
      this.#system.later(() => {
        if (!this.#isUsed) this.give()
      })
  }

  /** Gives the lock back if that is possible now. Returns whether this thread does not have it any more. */
  tryGive(): boolean {
    try {
      if (!this.isOwn()) return true
      if (attempt(() => this.#system.rename(this.#held, this.#own))) {
        /* Stopped in between, it has moved the lock of another thread, which notices that before it commits. */
        this.#isPrepared = this.#system.exists(join(this.#own, this.#system.owner))
        return true
      }
      /* The folder of this thread is not empty. */
      attempt(() => this.#system.removeFile(this.#ownInHeld))
      return !this.isOwn()
    } catch {
      return false
    }
  }

  /**
   * Removes what threads that have ended left behind: the lock, and the folders they had for it. A thread that cannot be seen
   * makes its folder again if it still needs it.
   *
   * @returns whether to go on waiting: the lock was removed, or its owner cannot be seen and has given no sign since the last look
   */
  removeDead(where?: 'everywhere'): boolean {
    for (const name of where === 'everywhere' ? this.#namesIn(this.#folder) : []) {
      const folder = join(this.#folder, name)
      if (folder === this.#held) continue
      for (const owner of this.#namesIn(folder))
        if (this.#system.isDead(owner) ?? this.#isOld(folder))
          attempt(() => this.#system.removeFile(join(folder, owner)))
      /* It fails unless the folder is empty. */
      attempt(() => this.#system.removeFolder(folder))
    }
    let unseen = ''
    let isRemoved = false
    for (const owner of this.#namesIn(this.#held)) {
      const hasEnded = this.#system.isDead(owner)
      if (hasEnded === undefined) unseen += `${owner} ${this.#system.changedAt(this.#held)} `
      const forMs = unseen === this.#unseen.what ? this.#unseen.forMs : 0
      /* The clock may be wrong, or all may have slept: then an owner has two seconds for a sign. */
      const isOld = forMs >= MAX_UNSEEN_MS || (forMs >= WATCHED_MS && this.#isOld(this.#held))
      if (hasEnded ?? isOld) isRemoved = attempt(() => this.#system.removeFile(join(this.#held, owner)))
    }
    const { what } = this.#unseen
    if (unseen !== what) this.#unseen = { what: unseen, forMs: 0 }
    return isRemoved || (unseen !== '' && (what === '' || what === unseen))
  }

  close(): void {
    this.#isClosed = true
    this.give()
  }

  #removeOwn(): void {
    attempt(() => this.#system.removeFile(join(this.#own, this.#system.owner)))
    for (const folder of [this.#own, this.#held, this.#folder]) attempt(() => this.#system.removeFolder(folder))
    this.#isPrepared = false
  }

  /* A folder without a name would be no lock: another one could be moved onto it. */
  #prepare(): void {
    this.#system.makeFolder(this.#own)
    /* Another name in it would become a lock, too. */
    for (const name of this.#namesIn(this.#own))
      if (name !== this.#system.owner) this.#system.removeFile(join(this.#own, name))
    try {
      this.#system.createFile(join(this.#own, this.#system.owner))
    } catch (error) {
      attempt(() => this.#system.removeFolder(this.#own))
      throw error
    }
    this.#isPrepared = true
  }

  #isOld(folder: string): boolean {
    return Date.now() - (this.#system.changedAt(folder) ?? Number.NaN) > MAX_UNSEEN_MS
  }

  #namesIn(folder: string): readonly string[] {
    try {
      return this.#system.list(folder)
    } catch {
      return []
    }
  }

  /* The owner's words are in the file with its name. */
  #told(): string {
    const [owner] = this.#namesIn(this.#held)
    return read(() => this.#system.read(join(this.#held, owner ?? '')))
  }

  #stillHeld(): Error {
    const [owner] = this.#namesIn(this.#held)
    /* In another container, its number is another process. */
    const isSeen = owner !== undefined && this.#system.isDead(owner) === false
    const who = isSeen ? `process ${owner.split('.')[2]}` : 'another process'
    if (this.#told() !== '')
      return ledgerUnusable(`${who} reads the whole file, to check it`, 'Try again when that has ended.')
    return ledgerUnusable(
      `${who} has locked it, by ${this.#held}`,
      isSeen
        ? 'End that process, or try again later. Delete that folder only if no process uses the ledger.'
        : 'Try again later. An owner that cannot be seen from here, and has ended, loses it 30 seconds after its last sign.',
    )
  }

  #unusable(error: unknown): unknown {
    const { code } = error as { readonly code?: unknown }
    if (typeof code !== 'string') return error
    return ledgerUnusable(
      `its lock, the folder ${this.#folder}, cannot be used (${code})`,
      'Check the owner and the permissions of that folder, and whether the disk is full or read-only.',
    )
  }
}

const TRIES_PER_LOOK = 20
const SIGN_MS = 500
const MAX_UNSEEN_MS = 30_000
const WATCHED_MS = 2000
const RETRY_MS = 20

/** Does what may fail: here because another thread was faster, or a folder is not empty. Returns whether it succeeded. */
export function attempt(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** The lock of a database file among the threads of this machine. */
export function processLockOf(file: string): ProcessLock {
  const folder = `${file}-lock`
  return new ProcessLock(folder, {
    rename: fs.renameSync,
    makeFolder(path) {
      fs.mkdirSync(path, { recursive: true, mode: 0o700 })
      for (const made of [folder, path]) attempt(() => giveToOwnerOf(file, made))
    },
    createFile(path) {
      fs.closeSync(fs.openSync(path, 'a', 0o600))
      attempt(() => giveToOwnerOf(file, path))
    },
    removeFile: fs.unlinkSync,
    removeFolder: fs.rmdirSync,
    list: (path) => fs.readdirSync(path),
    /* The first is four times as fast, and says "no" to whatever it cannot see. */
    exists: (path) => fs.existsSync(path) || fs.statSync(path, { throwIfNoEntry: false }) !== undefined,
    read: (path) => fs.readFileSync(path, 'utf8'),
    /* Never creates the file: the lock may have been lost. */
    write: (path, text) => (text === '' ? fs.truncateSync(path) : fs.writeFileSync(path, text, { flag: 'r+' })),
    changedAt: (path) => fs.statSync(path, { throwIfNoEntry: false })?.ctimeMs,
    renew: (path) => fs.utimesSync(path, new Date(), new Date()),
    owner: newOwner(file),
    isDead: (owner) => isDead(owner, file),
    later: (work) => void timers.setTimeout(work, RETRY_MS).unref(),
  })
}

/* The name of a thread: boot, namespaces, process, thread and its start, the file and its device, and a random part. */
function newOwner(file: string): string {
  const [process_ = '', thread = ''] = thisThread()
  const started = statOf(process_, thread)?.started ?? ''
  return [boot(), namespaces(), process_, thread, started, identityOf(file), crypto.randomUUID().slice(0, 8)].join('.')
}

/*
 * Only what was seen is proof. Another boot may be another machine with the same disk, or a process that may not read its
 * boot. A living thread whose name has another file may work on the original of this snapshot, or on a disk whose numbers change.
 */
function isDead(owner: string, file: string): boolean | undefined {
  const [itsBoot, itsNamespaces, process_ = '', thread = '', started, identity] = owner.split('.')
  if (itsBoot === '' || itsNamespaces === '' || itsBoot !== boot() || itsNamespaces !== namespaces()) return undefined
  const found = statOf(process_, thread)
  if (found === undefined) return isGone(Number(thread === '' ? process_ : thread)) ? true : undefined
  if (found.started !== started || /[ZX]/.test(found.state)) return true
  return identity === identityOf(file) ? false : undefined
}

const IS_LINUX = process.platform === 'linux' || process.platform === 'android'

/* Read when they are used: most programs open no ledger. Other systems tell only whether a process exists. */
const boot = () =>
  IS_LINUX ? read(() => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) : process.platform

/* The numbers and the starts of processes mean something only within these. A kernel before 5.6 has none of time. */
function namespaces(): string {
  if (!IS_LINUX) return 'all'
  const [process_] = thisThread()
  const [ofProcesses, ofTime] = ['pid', 'time'].map((kind) => read(() => fs.readlinkSync(`/proc/self/ns/${kind}`)))
  /* If /proc is of another namespace, its ids mean nothing to system calls. */
  if (ofProcesses === '' || process_ !== String(process.pid)) return ''
  return `${ofProcesses}-${ofTime}`.replaceAll(/[^\d-]/g, '')
}

function thisThread(): readonly string[] {
  const link = read(() => fs.readlinkSync('/proc/thread-self'))
  return link === '' ? [String(process.pid)] : link.split('/task/')
}

/* After the name of the program, which is in parentheses and may contain anything. */
function statOf(process_: string, thread: string) {
  if (!IS_LINUX) return isGone(Number(process_)) ? undefined : { state: '', started: '' }
  const text = read(() => fs.readFileSync(`/proc/${process_}/task/${thread}/stat`, 'utf8'))
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return text === '' ? undefined : { state: fields[0] ?? '', started: fields[19] ?? '' }
}

/* With `hidepid`, /proc does not show the processes of other users. A system call tells that they exist. */
function isGone(id: number): boolean {
  try {
    process.kill(id, 0)
    return false
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'ESRCH'
  }
}

function identityOf(file: string): string {
  const { ino = '', dev = '' } = fs.statSync(file, { throwIfNoEntry: false, bigint: true }) ?? {}
  return `${ino}-${dev}`
}

function read(text: () => string): string {
  try {
    return text()
  } catch {
    return ''
  }
}
