import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Ended } from '../package/consumer.ts'

/** A program of an example that runs to its end, with a clean environment, as cron starts it. */
export interface Program {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

/** Starts a program. The test can end it by `child.kill('SIGKILL')`. */
export function startProgram(
  folder: string,
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  input = '',
): Program {
  const { PATH, HOME } = process.env
  const child = spawn(command[0], command.slice(1), { cwd: folder, env: { PATH, HOME, ...env } })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text))
  }
  child.stdin.end(input)
  const ended = once(child, 'close').then(([status]) => ({ status: status as number | null, ...output }))
  return { child, ended }
}
