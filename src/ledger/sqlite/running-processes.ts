import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, uptime } from 'node:os'

/** What identifies a process. A fact that cannot be read is absent. */
export interface Process {
  /** On Linux the identifier of the boot; elsewhere the name of the host. */
  readonly machine: string | undefined
  /** Elsewhere: the boot time, in milliseconds since 1970. It moves when the clock is set. */
  readonly bootedAt?: number | undefined
  /** The namespace in which its pid and its start are valid. */
  readonly namespace: string | undefined
  readonly pid: number
  /** When it started, since the boot: on Linux in the kernel's ticks, elsewhere in milliseconds. */
  readonly started: number | undefined
}

/** A process, and what it can read about the processes in its namespace. */
export interface ProcessView {
  readonly self: Process
  /** `false` only if no process has that pid. */
  readonly isRunning: (pid: number) => boolean
  /** When a process started, as in {@link Process.started}. */
  readonly startOf: (pid: number) => number | undefined
  /** How much two readings of one start may differ, in the unit of {@link Process.started}. */
  readonly precisionMs: number
}

let known: ProcessView | undefined

/** This process on this machine. Nothing of it changes while it runs. */
export function currentProcess(): ProcessView {
  known ??= process.platform === 'linux' || process.platform === 'android' ? withProc() : withoutProc()
  return known
}

function withProc(): ProcessView {
  const startOf = (pid: number) => readOrUndefined(() => startIn(readFileSync(`/proc/${pid}/stat`, 'utf8')))
  const machine = readOrUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const namespace = readOrUndefined(namespaceOnLinux)
  const { pid } = process
  const started = namespace === undefined ? undefined : startOf(pid)
  return { self: { machine, namespace, pid, started }, isRunning, startOf, precisionMs: 0 }
}

/* A `/proc` from outside this pid namespace shows other processes under these pids. Then NSpid has several numbers. */
function namespaceOnLinux(): string | undefined {
  const [, pids = ''] = /^NSpid:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  if (pids !== String(process.pid)) return undefined
  /* A time namespace shifts the start of all processes. Old kernels have none. */
  return `${readlinkSync('/proc/self/ns/pid')} ${readOrUndefined(() => readlinkSync('/proc/self/ns/time')) ?? ''}`.trim()
}

/* The 22nd field. The second one is a name in parentheses, which may contain spaces and parentheses. */
function startIn(stat: string): number | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return /^\d+$/.test(fields[19] ?? '') ? Number(fields[19]) : undefined
}

/** Without `/proc`, only the existence of a pid can be checked. */
export function withoutProc(): ProcessView {
  const { pid } = process
  /* With the clock that cannot be set. It is the same for all threads of this process. */
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

function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
