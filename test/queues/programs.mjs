import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { installExample } from './examples.mjs'

/** Shortens how long a job waits before it is tried again. @param {string} folder of a copy of an example */
export const retrySoon = (folder) => change(folder, 'retryMs = 30_000', 'retryMs = 500')

/** Changes a copy of an example. @param {string} folder @param {string | RegExp} what @param {string} to */
export function change(folder, what, to) {
  const programs = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
  const codes = programs.map((name) => ({ path: join(folder, name), code: readFileSync(join(folder, name), 'utf8') }))
  const changed = codes.filter(({ code }) => code.replace(what, to) !== code)
  if (changed.length !== 1) throw new Error(`${changed.length} programs have ${what}.`)
  for (const { path, code } of changed) writeFileSync(path, code.replace(what, to))
}

/** The processes of one program of an example. One that dies is restarted, as by a supervisor. */
export class Programs {
  #example
  #program
  #env
  /** @type {{ readonly child: import('node:child_process').ChildProcess, readonly closed: Promise<unknown> }[]} */
  #running = []
  #isStopping = false
  /** The number of crashes. */
  crashes = 0
  complaints = ''

  /** @param {import('./examples.mjs').Example} example @param {string} program @param {Record<string, string>} env */
  constructor(example, program, env) {
    this.#example = installExample(example)
    retrySoon(this.#example.folder)
    this.#program = program
    this.#env = env
  }

  /** Starts this many more. */
  start(count = 1) {
    this.#isStopping = false
    for (let started = 0; started < count; started++) this.#startOne()
  }

  #startOne() {
    const { folder } = this.#example
    const child = spawn(execPath, [join(folder, this.#program)], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...this.#env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.setEncoding('utf8').on('data', (text) => (this.complaints += text))
    const running = { child, closed: once(child, 'close') }
    this.#running.push(running)
    child.once('close', (_code, signal) => {
      this.#running = this.#running.filter((each) => each !== running)
      if (this.#isStopping) return
      if (signal !== 'SIGKILL') this.crashes += 1
      this.#startOne()
    })
  }

  /** Kills one of them; a new one replaces it. @param {number} which from 0 to 1 */
  killOne(which) {
    this.#running[Math.floor(which * this.#running.length)]?.child.kill('SIGKILL')
  }

  /** Stops all of them by SIGTERM, as a supervisor does. */
  async stop() {
    this.#isStopping = true
    const running = this.#running
    for (const { child } of running) child.kill('SIGTERM')
    const late = setTimeout(() => {
      for (const { child } of running) child.kill('SIGKILL')
    }, 20_000)
    await Promise.all(running.map(({ closed }) => closed))
    clearTimeout(late)
  }

  /** Kills all of them, and removes the copy of the example. */
  async remove() {
    this.#isStopping = true
    for (const { child } of this.#running) child.kill('SIGKILL')
    await Promise.all(this.#running.map(({ closed }) => closed))
    this.#example.remove()
  }
}
