import fs from 'node:fs'
import { join } from 'node:path'
import { type Clock, pause } from '../clock.ts'
import { ledgerUnusable } from './rules/errors.ts'

/** What the lock needs of the file system and of the machine. A test explores every order of these calls. */
export interface LockSystem {
  readonly rename: (from: string, to: string) => void
  readonly makeFolder: (path: string) => void
  readonly createFile: (path: string) => void
  readonly removeFile: (path: string) => void
  readonly removeFolder: (path: string) => void
  readonly list: (path: string) => readonly string[]
  readonly exists: (path: string) => boolean
  readonly read: (path: string) => string
  readonly write: (path: string, text: string) => void
  /** A name for this thread that is used once. */
  readonly newOwner: () => string
  /** Whether the thread of that name has ended. `held` is the folder of the lock, if that is where the name is. */
  readonly isDead: (owner: string, held?: string) => boolean
}

/**
 * An advisory lock on a file that a copy of the file cannot drop. SQLite's own locks are POSIX locks: they vanish when any
 * code of the process closes a descriptor of the file, as `fs.copyFile` does.
 *
 * It is a folder with the name of its owner in it, moved to one place: moving a folder onto one that is not empty fails.
 * A waiter removes a name only if that thread has ended, and every name is used once: a living owner never loses the
 * lock, however long it is stopped. Taking and giving back are a rename each; creating a folder takes ten times as long.
 */
export class ProcessLock {
  readonly #folder: string
  readonly #held: string
  readonly #system: LockSystem
  #owner = ''
  #own = ''

  /** @param folder for the lock alone */
  constructor(folder: string, system: LockSystem) {
    this.#folder = folder
    this.#held = join(folder, 'held')
    this.#system = system
  }

  /**
   * Waits until no other thread has the lock, and takes it. The time begins again with each word of {@link tell}.
   *
   * @param isWanted whether to go on waiting
   * @param onTold called when the other thread has told something
   * @throws CertifyError LEDGER_UNUSABLE that names what stands in the way
   */
  async take(clock: Clock, timeoutMs: number, isWanted = () => true, onTold = () => {}): Promise<void> {
    let told = ''
    for (let tries = 0, waitedMs = 0; ; tries += 1) {
      try {
        if (this.tryTake()) return
        if (tries % TRIES_PER_LOOK === 0) {
          this.removeDead()
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
      if (waitedMs >= timeoutMs || !isWanted()) throw this.#stillHeld()
      /* Long waits are rare, and their timers are late by about a millisecond each. */
      const waitMs = tries < 100 ? 1 : 5
      await pause(clock, waitMs)
      waitedMs += waitMs
    }
  }

  /** Takes the lock unless another thread has it. */
  tryTake(): boolean {
    try {
      if (this.#owner === '') this.#prepare()
      this.#system.rename(this.#own, this.#held)
      if (this.#isHeld()) return true
      /* Somebody has removed the name: an empty folder is no lock. */
      this.#owner = ''
      return false
    } catch (error) {
      const { code } = error as { readonly code?: unknown }
      /* Somebody has removed the folders. */
      if (code === 'ENOENT') this.#owner = ''
      else if (code === 'ENOTDIR') this.#system.removeFile(this.#held)
      else if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
      return false
    }
  }

  /** Tells those who wait that this thread reads the whole file: longer words each time, and none when it has ended. */
  tell(words: string): void {
    attempt(() => this.#system.write(join(this.#held, this.#owner), words))
  }

  /** Gives the lock back. */
  give(): void {
    /* Somebody has removed the folders, or a container that cannot see this process has taken over. */
    if (!this.#isHeld()) return
    if (!attempt(() => this.#system.rename(this.#held, this.#own)))
      this.#system.removeFile(join(this.#held, this.#owner))
  }

  /** Removes what threads that have ended left behind: the lock, and the folders they had for it. */
  removeDead(where?: 'everywhere'): void {
    const folders =
      where === 'everywhere' ? this.#namesIn(this.#folder).map((name) => join(this.#folder, name)) : [this.#held]
    for (const folder of folders) {
      const held = folder === this.#held ? folder : undefined
      for (const name of this.#namesIn(folder)) {
        if (this.#system.isDead(name, held)) attempt(() => this.#system.removeFile(join(folder, name)))
      }
      /* It fails unless the folder is empty. */
      if (held === undefined) attempt(() => this.#system.removeFolder(folder))
    }
  }

  close(): void {
    if (this.#owner === '') return
    attempt(() => this.#system.removeFile(join(this.#own, this.#owner)))
    for (const folder of [this.#own, this.#held, this.#folder]) attempt(() => this.#system.removeFolder(folder))
    this.#owner = ''
  }

  /* A folder without a name would be no lock: another one could be moved onto it. */
  #prepare(): void {
    const owner = this.#system.newOwner()
    this.#own = join(this.#folder, `of-${owner}`)
    this.#system.makeFolder(this.#own)
    try {
      this.#system.createFile(join(this.#own, owner))
    } catch (error) {
      attempt(() => this.#system.removeFolder(this.#own))
      throw error
    }
    this.#owner = owner
  }

  #isHeld(): boolean {
    return this.#system.exists(join(this.#held, this.#owner))
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
    const who = owner === undefined ? 'another process' : `process ${processOf(owner)}`
    if (this.#told() !== '')
      return ledgerUnusable(`${who} reads the whole file, to check it`, 'Try again when that has ended.', true)
    return ledgerUnusable(
      `${who} has locked it, by ${this.#held}`,
      'End that process, or try again later. Delete that folder only if no process uses the ledger.',
      true,
    )
  }

  #unusable(error: unknown): unknown {
    const { code } = error as { readonly code?: unknown }
    if (typeof code !== 'string') return error
    return ledgerUnusable(
      `its lock, the folder ${this.#folder}, cannot be written (${code})`,
      'Check the owner and the permissions of that folder, and whether the disk is full or read-only.',
    )
  }
}

const TRIES_PER_LOOK = 20

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
  return new ProcessLock(`${file}-lock`, {
    rename: fs.renameSync,
    makeFolder: (path) => fs.mkdirSync(path, { recursive: true, mode: 0o700 }),
    createFile: (path) => fs.closeSync(fs.openSync(path, 'wx', 0o600)),
    removeFile: fs.unlinkSync,
    removeFolder: fs.rmdirSync,
    list: (path) => fs.readdirSync(path),
    exists: fs.existsSync,
    read: (path) => fs.readFileSync(path, 'utf8'),
    /* Never creates the file: the lock may have been lost. */
    write: (path, text) => (text === '' ? fs.truncateSync(path) : fs.writeFileSync(path, text, { flag: 'r+' })),
    newOwner: () => newOwner(file),
    isDead: (owner, held) => isDead(owner, held, file),
  })
}

/*
 * The name of a thread: machine, process namespace, process, thread and its start, the file that it works on, and a random part.
 * Without /proc, as on macOS, only the process is known.
 */
function newOwner(file: string): string {
  const [process_ = '', thread = ''] = threadOf(read(() => fs.readlinkSync('/proc/thread-self')))
  const started = statOf(process_, thread)?.started ?? ''
  return [BOOT(), NAMESPACE(), process_, thread, started, inodeOf(file), crypto.randomUUID().slice(0, 8)].join('.')
}

function isDead(owner: string, held: string | undefined, file: string): boolean {
  const [boot, namespace, process_ = '', thread = '', started, inode, nonce] = owner.split('.')
  /* Of another file: a folder that was copied with its files, or a ledger that was replaced. */
  if (nonce === undefined || boot !== BOOT() || inode !== inodeOf(file)) return true
  if (namespace !== NAMESPACE()) {
    /* In another container it cannot be seen. A rename sets the time of change of what is renamed. */
    const stat = held === undefined ? undefined : fs.statSync(held, { throwIfNoEntry: false })
    return stat !== undefined && Date.now() - stat.ctimeMs > LONGEST_UNSEEN_MS
  }
  if (boot === '') return !isAlive(Number(process_))
  const found = statOf(process_, thread)
  return found === undefined || found.started !== started || /[ZX]/.test(found.state)
}

const LONGEST_UNSEEN_MS = 30_000

/* Read when they are used: most programs open no ledger. */
const BOOT = () => read(() => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
const NAMESPACE = () => read(() => fs.readlinkSync('/proc/self/ns/pid')).replaceAll(/\D/g, '')

function threadOf(link: string): readonly string[] {
  return link === '' ? [String(process.pid)] : link.split('/task/')
}

/* After the name of the program, which is in parentheses and may contain anything. */
function statOf(process_: string, thread: string) {
  const text = read(() => fs.readFileSync(`/proc/${process_}/task/${thread}/stat`, 'utf8'))
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return text === '' ? undefined : { state: fields[0] ?? '', started: fields[19] ?? '' }
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch (error) {
    /* It belongs to another user. */
    return (error as { readonly code?: unknown }).code === 'EPERM'
  }
}

function inodeOf(file: string): string {
  return String(fs.statSync(file, { throwIfNoEntry: false, bigint: true })?.ino ?? '')
}

function processOf(owner: string): string {
  return owner.split('.')[2] ?? ''
}

function read(text: () => string): string {
  try {
    return text()
  } catch {
    return ''
  }
}
