import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { type Ended, repository, runIn, writeProject } from './consumer.ts'

/** The blocks of one language of a page of the project, in their order. */
export function codeIn(page: string, language: string): readonly string[] {
  return blocksIn(page, language).map(({ code }) => code)
}

/** The programs of a page that name a file. */
export function filesOf(page: string): Readonly<Record<string, string>> {
  const programs = [...blocksIn(page, 'ts'), ...blocksIn(page, 'js')]
  return Object.fromEntries(programs.flatMap(({ file, code }) => (file === undefined ? [] : [[file, code]])))
}

function blocksIn(page: string, language: string) {
  const text = readFileSync(join(repository, page), 'utf8')
  const blocks = [...text.matchAll(/^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm)]
  return blocks.filter((block) => block[1] === language).map(([, , file, code = '']) => ({ file, code }))
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
