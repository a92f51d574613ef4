#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }
import type { Io, Stream } from './io.ts'

/** The entry: argv in, exit code out. It answers --version by itself and loads the rest only for more. */
const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${manifest.version}\n`)
} else {
  void main()
}

async function main(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endQuietlyOnBrokenPipe)
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
  return {
    write: (text) => void stream.write(text),
    isTTY: stream.isTTY,
    columns: stream.columns || 80,
  }
}

/* The reader has gone, as in `certify … | head`: there is nobody left to complain to. */
function endQuietlyOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/* The first signal lets the command end truthfully; a second one ends it where it stands. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort(signal))
  return controller.signal
}
