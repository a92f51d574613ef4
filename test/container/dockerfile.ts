import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const repository = join(import.meta.dirname, '../..')

/** The result of the last stage of the Dockerfile: its files, and how it is run. */
export interface Image {
  /** The folder with the files that the Dockerfile adds to its base. */
  readonly root: string
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly health: readonly string[]
}

interface Instruction {
  readonly name: string
  readonly words: string
}

/** Builds the Dockerfile in a folder without a container engine, with the local Node.js. */
export function buildImage(folder: string): Image {
  const [build, final, ...others] = stagesOf(readFileSync(join(repository, 'Dockerfile'), 'utf8'))
  if (!build || !final || others.length > 0) throw new Error('The Dockerfile is expected to have two stages.')
  const built = join(folder, 'build-stage')
  const root = join(folder, 'root')
  const context = join(folder, 'context')
  writeContext(context)
  runStage(build, built, () => context)
  runStage(final, root, (from) => (from === undefined ? context : built))
  const wordsOf = (name: string): string => final.find((each) => each.name === name)?.words ?? ''
  return {
    root,
    user: wordsOf('USER'),
    entrypoint: JSON.parse(wordsOf('ENTRYPOINT')) as string[],
    health: JSON.parse(wordsOf('HEALTHCHECK').replace(/^.*? CMD /, '')) as string[],
  }
}

/** The instructions of each stage. An unknown instruction is an error. */
function stagesOf(text: string): Instruction[][] {
  const stages: Instruction[][] = []
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const [, name = '', words = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (!KNOWN.has(name)) throw new Error(`The Dockerfile has a line that this test cannot read: ${line}`)
    if (name === 'FROM') stages.push([])
    else stages.at(-1)?.push({ name, words })
  }
  return stages
}

const KNOWN = new Set(['ARG', 'FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT'])

function runStage(instructions: readonly Instruction[], root: string, sourceOf: (from?: string) => string): void {
  let workdir = root
  mkdirSync(root, { recursive: true })
  for (const { name, words } of instructions) {
    if (name === 'WORKDIR') {
      workdir = join(root, words)
      mkdirSync(workdir, { recursive: true })
    }
    if (name === 'RUN') execFileSync('sh', ['-c', words], { cwd: workdir, stdio: ['ignore', 'ignore', 'pipe'] })
    if (name === 'COPY') {
      const [, from, paths = ''] = /^(?:--from=(\S+) )?(.+)$/.exec(words) ?? []
      const sources = paths.split(' ')
      const target = sources.pop() ?? ''
      copy(sourceOf(from), sources, target.startsWith('/') ? join(root, target) : resolve(workdir, target), target)
    }
  }
}

/** Copies like COPY: the content of a folder, or a file, which goes into a folder if the target ends with a slash. */
function copy(from: string, sources: readonly string[], to: string, target: string): void {
  for (const source of sources) {
    const path = join(from, source)
    const isIntoFolder = target.endsWith('/') && statSync(path).isFile()
    cpSync(path, isIntoFolder ? join(to, basename(path)) : to, { recursive: true })
  }
}

/** The build context: .dockerignore excludes everything but some top-level names. */
function writeContext(folder: string): void {
  const lines = readFileSync(join(repository, '.dockerignore'), 'utf8').split('\n')
  const kept = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  if (!lines.includes('*') || kept.length === 0) throw new Error('.dockerignore should exclude all but some names.')
  for (const name of kept) cpSync(join(repository, name), join(folder, name), { recursive: true })
}
