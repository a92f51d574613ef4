#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { isatty as isTerminal } from 'node:tty'
import manifest from '../package.json' with { type: 'json' }
import type { Io, Stream } from './io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The entry: argv in, exit code out. It answers --version by itself and loads the rest only for more. */
const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.on('error', () => {})
  process.stdout.write(`${manifest.version}\n`)
} else {
  void main()
}

async function main(): Promise<void> {
  const [{ run }, { createHttpFetch }] = await Promise.all([import('./program.ts'), import('./network/http-fetch.ts')])
  const { signal, interrupt } = interruption()
  const io: Io = {
    argv,
    env: process.env,
    stdin: { isTTY: isTerminal(0), text: readInput },
    stdout: streamOf(process.stdout),
    stderr: streamOf(process.stderr),
    ask: async (question) => (await import('./terminal/ask.ts')).ask(question, signal, () => interrupt('SIGINT')),
    fetch: createHttpFetch(process.env),
    readFile: (path) => readFileSync(path, 'utf8'),
    now: Date.now,
    sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
    interruption: signal,
  }
  process.exitCode = await run(io)
}

async function readInput(): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
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
function interruption() {
  const controller = new AbortController()
  const interrupt = (signal: NodeJS.Signals) => {
    for (const each of SIGNALS) process.off(each, interrupt)
    controller.abort(signal)
  }
  for (const each of SIGNALS) process.on(each, interrupt)
  return { signal: controller.signal, interrupt }
}
