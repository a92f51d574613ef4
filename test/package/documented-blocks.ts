import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import ts from 'typescript'
import { onTestFinished } from 'vitest'
import { type Ended, repository, runIn, writeProject } from './consumer.ts'

/** One block of code of a page. */
export interface Block {
  readonly language: string
  readonly file: string | undefined
  readonly code: string
}

/** All blocks of a page of the project, in their order. */
export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(repository, page), 'utf8')
  return [...text.matchAll(/^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file, code = '']) => ({ language, file, code }),
  )
}

/** The blocks of one language. */
export function codeIn(page: string, language: string): readonly string[] {
  return blocksOf(page)
    .filter((block) => block.language === language)
    .map(({ code }) => code)
}

/** The blocks that name a file. */
export function filesOf(page: string): Readonly<Record<string, string>> {
  return Object.fromEntries(blocksOf(page).flatMap(({ file, code }) => (file === undefined ? [] : [[file, code]])))
}

/** Each file as TypeScript, to be compiled, and as the module that it becomes, to be run. */
export function project(consumer: string, name: string, files: Readonly<Record<string, string>>): string {
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  const modules = Object.entries(files).map(([file, code]) => [
    file.replace(/\.ts$/, '.mjs'),
    ts.transpileModule(code, { compilerOptions: options }).outputText,
  ])
  return writeProject(consumer, name, { ...files, ...Object.fromEntries(modules) })
}

/** Runs commands in bash, in a folder of their own, where `certify` is the installed program. */
export function commandIn(consumer: string, name: string, code: string, env: Record<string, string> = {}): Ended {
  const folder = join(consumer, name)
  mkdirSync(folder, { recursive: true })
  const PATH = `${join(consumer, 'node_modules/.bin')}:${process.env['PATH']}`
  return runIn(folder, 'bash', ['-uo', 'pipefail', '-c', code], { PATH, XDG_STATE_HOME: folder, ...env })
}

/** A mock over HTTP: its address, the key with every scope, and the token of the admin session. */
interface RunningMock {
  readonly url: string
  readonly key: string
  readonly session: string
}

/* The first line of its output. */
interface Told {
  readonly url: string
  readonly apiKeys: readonly [{ readonly key: string }]
  readonly adminSession: { readonly headers: { readonly authorization: string } }
}

/** A mock over HTTP on a free port. It ends with the test. */
export async function startMock(consumer: string): Promise<RunningMock> {
  const bin = join(consumer, 'node_modules/.bin/certify')
  const service = spawn(bin, ['mock', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void service.kill())
  const [line] = (await once(createInterface(service.stdout), 'line')) as [string]
  const { url, apiKeys, adminSession } = JSON.parse(line) as Told
  return { url, key: apiKeys[0].key, session: adminSession.headers.authorization.replace('Bearer ', '') }
}
