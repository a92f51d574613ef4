import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, uptime } from 'node:os'

/** What tells a process apart from all others. What cannot be read is not there. */
export interface Process {
  /** On Linux the start of the machine by its name; elsewhere the name of the host. */
  readonly machine: string | undefined
  /** Elsewhere: when the machine was started, in milliseconds since 1970. A clock that is set moves it. */
  readonly bootedAt?: number | undefined
  /** Among which processes its pid and its start are valid. */
  readonly namespace: string | undefined
  readonly pid: number
  /** When it began: on Linux in the kernel's ticks, elsewhere in milliseconds, since the start of the machine. */
  readonly started: number | undefined
}

/** A process, and what it can learn of those that share its pids. */
export interface Here {
  readonly self: Process
  /** `false` only where no process has that pid. */
  readonly isRunning: (pid: number) => boolean
  /** When a process began, as in {@link Process.started}. */
  readonly startOf: (pid: number) => number | undefined
  /** By how much the start of one process may seem to differ. */
  readonly precisionMs: number
}

let known: Here | undefined

/** This process, on this machine. Nothing of it changes while it runs. */
export function here(): Here {
  known ??= process.platform === 'linux' || process.platform === 'android' ? onLinux() : elsewhere()
  return known
}

function onLinux(): Here {
  const startOf = (pid: number) => attempt(() => startIn(readFileSync(`/proc/${pid}/stat`, 'utf8')))
  const machine = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const namespace = attempt(namespaceOnLinux)
  const { pid } = process
  const started = namespace === undefined ? undefined : startOf(pid)
  return { self: { machine, namespace, pid, started }, isRunning, startOf, precisionMs: 0 }
}

/* A /proc that was mounted outside of this PID namespace shows other processes under these pids: then one number is not all. */
function namespaceOnLinux(): string | undefined {
  const [, pids = ''] = /^NSpid:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  if (pids !== String(process.pid)) return undefined
  /* A time namespace shifts the start of every process that is looked at from within. Old kernels have none. */
  return `${readlinkSync('/proc/self/ns/pid')} ${attempt(() => readlinkSync('/proc/self/ns/time')) ?? ''}`.trim()
}

/* The 22nd field. The second one is a name in parentheses, which may hold spaces and parentheses itself. */
function startIn(stat: string): number | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return /^\d+$/.test(fields[19] ?? '') ? Number(fields[19]) : undefined
}

/** Without /proc, all that is known of other processes is whether there is one of a pid. */
export function elsewhere(): Here {
  const { pid } = process
  /* By the clock that nobody sets. It is the same for all threads of this process. */
  const started = Math.round(Number(process.hrtime.bigint()) / 1e6 - process.uptime() * 1000)
  const bootedAt = Math.round(Date.now() - uptime() * 1000)
  return {
    self: { machine: hostname(), bootedAt, namespace: process.platform, pid, started },
    isRunning,
    startOf: (other) => (other === pid ? started : undefined),
    precisionMs: 1000,
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: unknown }).code !== 'ESRCH'
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
