#!/usr/bin/env node
import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import manifest from '../package.json' with { type: 'json' }
import type { Io, Stream } from './io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/* The entry point. `--version` and the top-level help are the most frequent command lines: they load nothing else. */
const argv = process.argv.slice(2)
const [word = '--help'] = argv
const known = argv.length > 1 ? undefined : knownText(word)
if (known === undefined) void main()
else print(known)

function knownText(option: string): string | undefined {
  if (option === '--version' || option === '-v') return `${manifest.version}\n`
  if (option !== '--help' && option !== '-h') return undefined
  try {
    return readFileSync(join(import.meta.dirname, 'help.txt'), 'utf8')
  } catch {
    /* When it runs from its sources, the program makes the help itself. */
    return undefined
  }
}

/* To the descriptor: creating the stream of stdout takes longer than everything else. */
function print(text: string): void {
  try {
    writeSync(1, text)
  } catch {
    /* The pipe is full, or its reader is gone: the stream waits, or ignores the error. */
    process.stdout.on('error', () => {}).write(text)
  }
}

/* Streams, the network and prompts are slow to load, so each is created on first use. */
async function main(): Promise<void> {
  const { run } = await import('./program.ts')
  let fetching: Promise<Io['fetch']> | undefined
  const io: Io = {
    argv,
    env: process.env,
    stdin: {
      get isTTY() {
        return isatty(0)
      },
      text: async () => (await import('node:stream/consumers')).text(process.stdin),
      bytes: readBytes,
    },
    stdout: streamOf(1, () => process.stdout),
    stderr: streamOf(2, () => process.stderr),
    ask: async (question) => {
      const { ask } = await import('./terminal/ask.ts')
      return ask(question, io.interruption, () => process.emit('SIGINT', 'SIGINT'))
    },
    fetch: async (url, init) => {
      fetching ??= import('../src/node/index.ts').then(({ createFetch }) => createFetch({ proxy: 'environment' }))
      return (await fetching)(url, init)
    },
    run: async (child) => (await import('./run-child.ts')).runChild(child),
    readFile: (path) => readFileSync(path, 'utf8'),
    now: Date.now,
    sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
    get interruption() {
      interrupted ??= listenForSignals()
      return interrupted
    },
  }
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))
  process.exitCode = await run(io)
  if (!terminals.every((descriptor) => isatty(descriptor))) {
    /* Without its terminal, Node.js would abort during exit. To a shell, the exit code is the same: 129. */
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  }
}

async function* readBytes(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { addAbortSignal } = await import('node:stream')
  yield* addAbortSignal(signal, process.stdin)
}

function streamOf(descriptor: number, open: () => NodeJS.WriteStream): Stream {
  let opened: NodeJS.WriteStream | undefined
  let isTerminal: boolean | undefined
  const stream = () => {
    /* The callback of a write receives its error. Without a listener, the error would also end the program. */
    opened ??= open().on('error', () => {})
    return opened
  }
  return {
    write: (text) =>
      new Promise((resolve, reject) => stream().write(text, (error) => (error ? reject(error) : resolve()))),
    get isTTY() {
      isTerminal ??= isatty(descriptor)
      return isTerminal
    },
    get columns() {
      return stream().columns || 80
    },
  }
}

/*
 * The first signal lets the command report what it has done; the second one ends the process at once. A SIGHUP never
 * does, because a lost terminal often sends two.
 */
let interrupted: AbortSignal | undefined

function listenForSignals(): AbortSignal {
  const controller = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => {
    process.on('SIGHUP', () => {})
    for (const each of SIGNALS) process.off(each, onSignal)
    controller.abort(signal)
  }
  for (const each of SIGNALS) process.on(each, onSignal)
  return controller.signal
}
