import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import spawn from 'cross-spawn'
import { systemCode } from './cli-error.ts'
import type { Child, ChildEnd } from './io.ts'

/* A terminal sends these to all its foreground programs anyway: a second one would end the program too early. */
const FROM_TERMINAL: ReadonlySet<string> = new Set(['SIGINT', 'SIGQUIT'])
const SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const

/** Runs another program with the streams of this one, and forwards signals. */
export function runChild({ program, args, env }: Child): Promise<ChildEnd> {
  const isAtTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  return new Promise((resolve) => {
    let child: ChildProcess | undefined
    const forward = (signal: NodeJS.Signals) => {
      if (!isAtTerminal || !FROM_TERMINAL.has(signal)) child?.kill(signal)
    }
    const end = (ended: ChildEnd) => {
      for (const signal of SIGNALS) process.off(signal, forward)
      resolve(ended)
    }
    for (const signal of SIGNALS) process.on(signal, forward)
    try {
      child = spawn(program, args, { env, stdio: 'inherit' })
        .on('error', (error) => end({ failure: systemCode(error) }))
        .on('exit', (code, signal) => end({ exitCode: code ?? 128 + constants.signals[signal ?? 'SIGKILL'] }))
    } catch (error) {
      end({ failure: systemCode(error) })
    }
  })
}
