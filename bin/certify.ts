#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }
import type { Io, Stream } from './io.ts'

/** The entry: argv in, exit code out. It answers --version by itself and loads the rest only for more. */
const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.on('error', () => {})
  process.stdout.write(`${manifest.version}\n`)
} else {
  void main()
}

async function main(): Promise<void> {
  const [{ run }, { httpFetch }] = await Promise.all([import('./program.ts'), import('./network/http-fetch.ts')])
  const io: Io = {
    argv,
    env: process.env,
    stdout: streamOf(process.stdout),
    stderr: streamOf(process.stderr),
    fetch: httpFetch,
    readFile: (path) => readFileSync(path, 'utf8'),
    interruption: interruption(),
  }
  process.exitCode = await run(io)
}

function streamOf(stream: NodeJS.WriteStream): Stream {
  /* Whoever writes is told by the callback; without a listener the same error would end the program as well. */
  stream.on('error', () => {})
  return {
    write: (text) =>
      new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve()))),
    isTTY: stream.isTTY,
    columns: stream.columns || 80,
  }
}

/* The first signal lets the command end truthfully; the next one, whichever it is, ends it where it stands. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  const signals = ['SIGINT', 'SIGTERM'] as const
  const listeners = signals.map((signal) => {
    const listener = () => {
      for (const [index, each] of signals.entries()) process.off(each, listeners[index] ?? listener)
      controller.abort(signal)
    }
    process.on(signal, listener)
    return listener
  })
  return controller.signal
}
