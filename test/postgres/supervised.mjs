import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/*
 * Stops the server when this process writes the name of a signal. If this process dies, its pipe closes: then the
 * server is killed and its folder removed. The server runs in another session, so it does not receive the terminal's
 * Ctrl-C.
 */
const SUPERVISOR = `
folder=$1; shift
"$@" & server=$!
if read -r signal; then
  kill -s "$signal" "$server"; wait "$server"
else
  kill -s QUIT "$server"; sleep 0.2; kill -s KILL "$server"; wait "$server"; rm -rf "$folder"
fi`

/** One run of a server program. Its output goes to `log` in its folder. */
export class Supervised {
  #name
  #child
  #stdin
  #log

  /** @param {string} folder @param {readonly [string, ...string[]]} command */
  constructor(folder, command) {
    const program = command.find((word) => !word.startsWith('-') && !word.endsWith('setpriv')) ?? command[0]
    this.#name = program.split('/').at(-1)
    this.#log = join(folder, 'log')
    const log = openSync(this.#log, 'a')
    this.#child = spawn('sh', ['-c', SUPERVISOR, 'sh', folder, ...command], {
      cwd: folder,
      detached: true,
      stdio: ['pipe', log, log],
    })
    closeSync(log)
    /* The server must not keep the process that uses it alive. */
    this.#child.unref()
    this.#stdin = /** @type {import('node:net').Socket} */ (this.#child.stdin)
    this.#stdin.unref()
  }

  /** Waits until `isReady` resolves with true. @param {() => Promise<boolean>} isReady */
  async ready(isReady, withinMs = 60_000) {
    const giveUpAt = performance.now() + withinMs
    while (!(await isReady())) {
      if (performance.now() >= giveUpAt) {
        await this.end('KILL')
        throw new Error(`${this.#name} did not start:\n${readFileSync(this.#log, 'utf8').slice(-2000)}`)
      }
      await pause(50)
    }
  }

  /** Sends a signal, and waits for the end. @param {'TERM' | 'INT' | 'QUIT' | 'KILL'} signal */
  async end(signal) {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.ref()
    const ended = once(this.#child, 'exit')
    this.#stdin.end(`${signal}\n`)
    await ended
  }
}

/**
 * A new folder for a server, and how to remove it. The path is short enough for a Unix socket. The removal is not
 * awaited: a database for each test makes tens of thousands of files, which kept the run from ending for 14 to 70
 * seconds.
 *
 * @param {string} name
 */
export function newFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `certify-${name}-`))
  return { folder, remove: () => spawn('rm', ['-rf', folder], { detached: true, stdio: 'ignore' }).unref() }
}

/**
 * A free port below the ephemeral range, so that it stays free while its server is down.
 *
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer()
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    server.close()
    if (isFree === true) return port
  }
}
