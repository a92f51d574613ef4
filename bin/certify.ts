#!/usr/bin/env node
import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import type { Io, Stream } from './io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * The entry: argv in, exit code out. What is asked for most, the version and the help, it answers by itself; it loads the
 * rest only for more.
 */
const argv = process.argv.slice(2)
const [word = '--help'] = argv
const answer = argv.length > 1 ? undefined : knownAnswer(word)
if (answer === undefined) void main()
else print(answer)

function knownAnswer(flag: string): string | undefined {
  if (flag === '--version' || flag === '-V') return `${manifest.version}\n`
  return flag === '--help' || flag === '-h' ? builtHelp() : undefined
}

/* The help as the build wrote it down, for terminals of eighty columns and more; without it the program makes it. */
function builtHelp(): string | undefined {
  if (process.stdout.isTTY && process.stdout.columns < 80) return undefined
  try {
    return readFileSync(join(import.meta.dirname, 'help.txt'), 'utf8')
  } catch {
    return undefined
  }
}

/* The descriptor, not the stream of stdout: that takes longer to make than all the rest of it. */
function print(text: string): void {
  try {
    writeSync(1, text)
  } catch {
    /* A pipe that is full, or whose reader has gone: the stream waits in the one case and gets an error in the other. */
    process.stdout.on('error', () => {}).write(text)
  }
}

/* What a command may not need is made when it is asked for: streams, the network and prompts are slow to load. */
async function main(): Promise<void> {
  const { run } = await import('./program.ts')
  let fetching: Promise<Io['fetch']> | undefined
  const io: Io = {
    argv,
    env: process.env,
    stdin: {
      get isTTY() {
        return process.stdin.isTTY
      },
      text: readInput,
      bytes: readBytes,
    },
    stdout: streamOf(() => process.stdout),
    stderr: streamOf(() => process.stderr),
    ask: async (question) => {
      const { ask } = await import('./terminal/ask.ts')
      return ask(question, io.interruption, () => process.emit('SIGINT', 'SIGINT'))
    },
    fetch: async (url, init) => {
      fetching ??= import('./network/http-fetch.ts').then(({ createHttpFetch }) => createHttpFetch(process.env))
      return (await fetching)(url, init)
    },
    run: async (child) => (await import('./sandbox/run-child.ts')).runChild(child),
    readFile: (path) => readFileSync(path, 'utf8'),
    now: Date.now,
    sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
    get interruption() {
      interrupted ??= listenForSignals()
      return interrupted
    },
  }
  process.exitCode = await run(io)
}

async function readInput(): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

async function* readBytes(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { addAbortSignal } = await import('node:stream')
  yield* addAbortSignal(signal, process.stdin)
}

function streamOf(open: () => NodeJS.WriteStream): Stream {
  let opened: NodeJS.WriteStream | undefined
  const stream = () => {
    /* The callback of a write gets its error; without a listener the same error would end the program as well. */
    opened ??= open().on('error', () => {})
    return opened
  }
  return {
    write: (text) =>
      new Promise((resolve, reject) => stream().write(text, (error) => (error ? reject(error) : resolve()))),
    get isTTY() {
      return stream().isTTY
    },
    get columns() {
      return stream().columns || 80
    },
  }
}

/*
 * The first signal lets the command end truthfully; the next one, whichever it is, ends it where it stands. Before a
 * command asks, nothing was begun that would have to be reported.
 */
let interrupted: AbortSignal | undefined

function listenForSignals(): AbortSignal {
  const controller = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => {
    for (const each of SIGNALS) process.off(each, onSignal)
    controller.abort(signal)
  }
  for (const each of SIGNALS) process.on(each, onSignal)
  return controller.signal
}
