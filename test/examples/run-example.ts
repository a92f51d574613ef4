import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../postgres/supervised.mjs'
import { repository } from '../package/consumer.ts'

/** The fields of an example's package.json that the tests read. */
export interface ExamplePackage {
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** An example that runs as a server. */
export interface RunningExample {
  /** As in `http://127.0.0.1:41234`. */
  readonly origin: string
  /** What it has printed so far, on stdout and stderr. */
  readonly output: () => string
  /** Sends a signal to its program, and resolves with its exit code, or with the signal that ended it. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals | null>
  /** Kills it and everything that it started. Call it when a test finishes, even if it failed. */
  readonly kill: () => void
}

const INSTALLED = join(import.meta.dirname, 'node_modules')

/**
 * Copies an example into a folder where only its own dependencies resolve: those in its package.json, from
 * `test/examples/node_modules`, and certify-sdk as it was packed.
 *
 * @param consumer of `inject('consumer')`; the folder is inside it, and is removed with it
 * @param how `copied` if the example refuses packages that are symbolic links, as Next.js does. Default: `linked`
 * @returns the folder
 */
export function installExample(consumer: string, name: string, how: 'linked' | 'copied' = 'linked'): string {
  const folder = join(consumer, 'examples', name)
  cpSync(join(repository, 'examples', name), folder, { recursive: true })
  for (const dependency of dependenciesOf(name)) {
    if (how === 'copied') copy(folder, dependency)
    link(folder, dependency)
  }
  return folder
}

/** The package.json of an example. */
export function packageOf(name: string): ExamplePackage {
  return readPackage(join(repository, 'examples', name))
}

function readPackage(folder: string): ExamplePackage {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ExamplePackage
}

/** Not installed: wrangler needs Node.js 22. The test bundles as wrangler does, and runs workerd, its runtime. */
export const NOT_INSTALLED: readonly string[] = ['wrangler']

/** The names of what an example installs, without certify-sdk. */
function dependenciesOf(name: string): readonly string[] {
  const { dependencies, devDependencies } = packageOf(name)
  const names = Object.keys({ ...dependencies, ...devDependencies })
  return names.filter((each) => each !== 'certify-sdk' && !NOT_INSTALLED.includes(each))
}

/* Links the package and its commands in `.bin`, as an installation does. */
function link(folder: string, dependency: string): void {
  const installed = join(INSTALLED, dependency)
  if (!existsSync(installed)) {
    throw new Error(`${dependency} is missing. Run: npm ci --ignore-scripts --prefix test/examples`)
  }
  linkTo(installed, join(folder, 'node_modules', dependency))
  const { name = '', bin = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    readonly name?: string
    readonly bin?: string | Readonly<Record<string, string>>
  }
  const commands = typeof bin === 'string' ? { [name.split('/').at(-1) ?? '']: bin } : bin
  for (const [command, path] of Object.entries(commands)) {
    linkTo(join(folder, 'node_modules', dependency, path), join(folder, 'node_modules/.bin', command))
  }
}

/* Copies a package and all its dependencies, as hard links if possible. */
function copy(folder: string, dependency: string): void {
  const installed = join(INSTALLED, dependency)
  const target = join(folder, 'node_modules', dependency)
  /* A missing package is an optional one for another platform. */
  if (existsSync(target) || !existsSync(installed)) return
  mkdirSync(dirname(target), { recursive: true })
  try {
    execFileSync('cp', ['-al', installed, target], { stdio: 'ignore' })
  } catch {
    cpSync(installed, target, { recursive: true })
  }
  const { dependencies, optionalDependencies } = readPackage(installed)
  for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) copy(folder, each)
}

function linkTo(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (!existsSync(path)) symlinkSync(target, path)
}

/** Runs another script of an installed example, such as `build`, and returns its output. Throws if the script fails. */
export function runScript(folder: string, script: string, env: Readonly<Record<string, string>> = {}): string {
  try {
    return execFileSync('npm', ['run', '--silent', script], { cwd: folder, encoding: 'utf8', env: cleanEnv(env) })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${script} failed:\n${stdout}${stderr}`, { cause: error })
  }
}

/**
 * Runs the `start` script of an installed example on a free port, which it gets as `PORT`, and waits until it accepts
 * connections. It runs as in a container: without npm, which does not pass SIGTERM on to the program.
 *
 * @param command another command than its `start` script
 */
export async function startExample(
  folder: string,
  env: Readonly<Record<string, string>>,
  command = readPackage(folder).scripts?.['start'] ?? '',
): Promise<RunningExample> {
  const port = await freePort()
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd: folder,
    env: {
      ...cleanEnv({ PORT: `${port}`, ...env }),
      PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH']}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    /* Its own process group, so that everything it started can be killed. */
    detached: true,
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals | null)
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      /* It has ended. */
    }
  }
  const origin = `http://127.0.0.1:${port}`
  const failed = ended.then((code) => {
    throw new Error(`The example ended with ${code} before it listened:\n${output}`)
  })
  try {
    await Promise.race([accepts(origin, 60_000), failed])
  } catch (error) {
    kill()
    throw error
  }
  failed.catch(() => {})
  const end = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  return { origin, output: () => output, end, kill }
}

/* A clean environment, without settings of Vitest or of the user. */
function cleanEnv(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env
  return { PATH, HOME, NEXT_TELEMETRY_DISABLED: '1', npm_config_update_notifier: 'false', ...env }
}

async function accepts(origin: string, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs
  for (;;) {
    try {
      await fetch(origin)
      return
    } catch (error) {
      if (Date.now() > end) throw new Error(`Nothing listens on ${origin}.`, { cause: error })
      await delay(50)
    }
  }
}
