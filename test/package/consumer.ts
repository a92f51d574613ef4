import { type ChildProcess, execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of an empty project with the packed tarball installed. */
    readonly consumer: string
  }
}

export const repository = join(import.meta.dirname, '../..')

/** Packs the package as it would be published, and installs it into an empty project, once for all tests. */
export default function setup(project: TestProject): () => void {
  const consumer = mkdtempSync(join(tmpdir(), 'certify-consumer-'))
  /* The user's home may not be writable. */
  const npm = (command: string, flags: readonly string[], cwd?: string) =>
    run('npm', [command, '--cache', join(consumer, 'cache'), ...flags], cwd)
  const [packed] = JSON.parse(npm('pack', ['--json', '--ignore-scripts', '--pack-destination', consumer])) as [
    { readonly filename: string },
  ]
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true }))
  npm('install', ['--offline', '--no-audit', '--no-fund', `./${packed.filename}`], consumer)
  /* Before Node.js 22.13 the ledger needs it, as getting-started says. */
  lend(consumer, '@photostructure/sqlite')
  project.provide('consumer', consumer)
  process.env['HOMES_OF_TESTS'] = join(consumer, 'homes')
  return () => rmSync(consumer, { recursive: true, force: true })
}

function run(command: string, args: readonly string[], cwd = repository): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The result of a program. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program in the consumer's project, with a clean environment. */
export function runIn(
  folder: string,
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Ended {
  const { PATH, HOME, HOMES_OF_TESTS, VITEST_POOL_ID, NODE_EXTRA_CA_CERTS } = process.env
  /* Keeps the files of the program out of the user's home, and apart for every worker. */
  const home = `${HOMES_OF_TESTS}/${VITEST_POOL_ID}`
  const own = { CERTIFY_CONFIG_DIR: `${home}/config`, XDG_STATE_HOME: home }
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, ...own, ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }), ...env },
  })
  return { status, stdout, stderr }
}

/** Runs a program with exactly this environment. Asynchronous, because a mock in this process has to answer. */
export function runAsync(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  cwd?: string,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child: ChildProcess = execFile(command, args, { env, cwd }, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    )
  })
}

/** Writes the files of a project inside the consumer's, where imports find the package. */
export function writeProject(consumer: string, name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(consumer, name)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

/** Links a package into the consumer, as if it had installed it. */
export function lend(consumer: string, ...names: readonly string[]): void {
  for (const name of names) {
    const target = join(consumer, 'node_modules', name)
    mkdirSync(dirname(target), { recursive: true })
    try {
      symlinkSync(join(repository, 'node_modules', name), target)
    } catch (error) {
      /* Another test file has linked it. */
      if ((error as { readonly code?: unknown }).code !== 'EEXIST') throw error
    }
  }
}

/** Compiles files in strict mode, as a bundled program for Node.js, and returns the errors of the compiler. */
export function compile(consumer: string, folder: string, args: readonly string[], compiler = 'typescript-7'): string {
  lend(consumer, '@types/node', 'undici-types')
  const tsc = join(repository, 'node_modules', compiler, 'bin/tsc')
  const flags = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler']
  return runIn(folder, 'node', [tsc, ...flags, '--types', 'node', ...args]).stdout
}
